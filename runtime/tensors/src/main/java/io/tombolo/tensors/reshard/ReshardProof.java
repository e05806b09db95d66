// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import java.util.List;
import java.util.Optional;

/**
 * Shows that transfers are a right plan, knowing nothing of how plans are made: each element of
 * each new shard comes exactly once, from a rank that has it, and no rank that is nearer has it.
 * That the fewest bytes travel the least far follows.
 *
 * <p>It looks at each pair of a transfer and an old shard: for small jobs.
 */
public final class ReshardProof {
  private final TensorLayout from;
  private final TensorLayout to;

  /** A proof for plans between these layouts. */
  public ReshardProof(TensorLayout from, TensorLayout to) {
    this.from = from;
    this.to = to;
  }

  /**
   * What is wrong with the transfers into {@code rank} of the new layout, as a sentence; empty if
   * they are right.
   */
  public Optional<String> defect(int rank, List<Transfer> transfers) {
    Shard wanting = to.shards().get(rank);
    for (Transfer transfer : transfers) {
      Optional<String> defect = defect(wanting, transfer);
      if (defect.isPresent()) {
        return defect.map(words -> transfer + " " + words);
      }
    }
    Canvas canvas = new Canvas(wanting.box(), transfers.stream().map(Transfer::box).toList());
    return transfers.stream()
        .filter(transfer -> !canvas.paint(transfer.box()))
        .map(transfer -> transfer + " brings elements that have come before")
        .findFirst()
        .or(() -> canvas.blank().map(box -> "rank " + rank + " lacks " + box));
  }

  private Optional<String> defect(Shard wanting, Transfer transfer) {
    if (transfer.to() != wanting.rank()) {
      return Optional.of("goes to another rank than " + wanting.rank());
    }
    if (transfer.from() < 0 || transfer.from() >= from.size()) {
      return Optional.of("comes from no rank");
    }
    Shard giver = from.shards().get(transfer.from());
    if (transfer.box().isEmpty() || !isInside(transfer.box(), wanting.box())) {
      return Optional.of("brings what is not wanted: " + wanting.box());
    }
    if (!isInside(transfer.box(), giver.box())) {
      return Optional.of("comes from a rank that has only " + giver.box());
    }
    if (giver.place().to(wanting.place()) != transfer.nearness()) {
      return Optional.of("is " + giver.place().to(wanting.place()).words());
    }
    return from.shards().stream()
        .filter(other -> other.place().to(wanting.place()).compareTo(transfer.nearness()) < 0)
        .filter(other -> other.box().overlap(transfer.box()) > 0)
        .map(other -> "could come from rank " + other.rank() + ", which is nearer")
        .findFirst();
  }

  private static boolean isInside(Box inner, Box outer) {
    for (int dim = 0; dim < inner.dimensions(); dim++) {
      if (inner.from(dim) < outer.from(dim) || inner.to(dim) > outer.to(dim)) {
        return false;
      }
    }
    return true;
  }
}
