// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.reshard.Journeys;
import io.tombolo.tensors.reshard.ReshardProof;
import io.tombolo.tensors.reshard.Resharding;
import io.tombolo.tensors.reshard.Transfer;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * A planned resharding in figures, as the terminal and JSON show it.
 *
 * @param from the old layout, as it was given
 * @param to the new layout, as it was given
 * @param shape of the tensor
 * @param type of its elements
 * @param sizeBytes of the whole tensor
 * @param bytes how far all bytes travel, which is also the least possible
 * @param transfers among ranks of different processes
 * @param ranks what comes to each rank of the new layout
 * @param proven what is known of the plan's correctness, as a sentence
 * @param program what comes to the rank that was asked for; null if none was
 */
record ReshardSummary(
    String from,
    String to,
    List<Long> shape,
    String type,
    long sizeBytes,
    Distances bytes,
    long transfers,
    List<RankRow> ranks,
    String proven,
    List<TransferRow> program) {
  /** The proof looks at this many pairs of ranks within a moment. */
  private static final long PROVABLE_PAIRS = 4_096;

  /** Bytes by how far they travel: those that stay in their process, stay on their host, … */
  record Distances(long process, long host, long vendor, long other) {
    static Distances of(Journeys journeys, int elementBytes) {
      return new Distances(
          journeys.process() * elementBytes,
          journeys.host() * elementBytes,
          journeys.vendor() * elementBytes,
          journeys.other() * elementBytes);
    }
  }

  /** One rank of the new layout; {@code box} is what it wants, as Python writes slices. */
  record RankRow(
      int rank, String process, String host, String box, Distances bytes, long transfers) {}

  /** One part that comes; {@code distance} is a member of {@link Distances}. */
  record TransferRow(int from, String box, long sizeBytes, String distance) {}

  static ReshardSummary of(Resharding plan, DataType type, String from, String to, Integer rank) {
    Box whole = plan.to().whole();
    return new ReshardSummary(
        from,
        to,
        LongStream.of(whole.shape()).boxed().toList(),
        type.text(),
        whole.elements() * type.sizeBytes(),
        Distances.of(plan.journeys(), type.sizeBytes()),
        plan.journeys().transfers(),
        plan.to().shards().stream().map(shard -> row(plan, shard, type)).toList(),
        proven(plan),
        rank == null ? null : program(plan.into(rank), type));
  }

  private static RankRow row(Resharding plan, Shard shard, DataType type) {
    Journeys journeys = plan.journeysInto(shard.rank());
    return new RankRow(
        shard.rank(),
        shard.place().process(),
        shard.place().host(),
        shard.box().toString(),
        Distances.of(journeys, type.sizeBytes()),
        journeys.transfers());
  }

  private static List<TransferRow> program(List<Transfer> transfers, DataType type) {
    return transfers.stream()
        .map(
            transfer ->
                new TransferRow(
                    transfer.from(),
                    transfer.box().toString(),
                    transfer.box().elements() * type.sizeBytes(),
                    transfer.nearness().name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static String proven(Resharding plan) {
    if ((long) plan.from().size() * plan.to().size() > PROVABLE_PAIRS) {
      return "not proven here: that takes long for so many ranks";
    }
    ReshardProof proof = new ReshardProof(plan.from(), plan.to());
    for (Shard shard : plan.to().shards()) {
      proof
          .defect(shard.rank(), plan.into(shard.rank()))
          .ifPresent(
              defect -> {
                throw new CorruptException("the plan is wrong: " + defect);
              });
    }
    return "proven: every rank gets each of its elements once, from a nearest rank that has it;"
        + " fewer bytes cannot do";
  }
}
