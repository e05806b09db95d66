// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.exec.memory.Packing;
import io.tombolo.runtime.exec.memory.Packing.Piece;
import io.tombolo.runtime.exec.submit.Packer.PackedCall;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Calls that differ only in their counts, laid end to end: element by element, the call on all of
 * it does what they do. Where buffers hold a block for each rank, each block holds all calls'
 * parts.
 */
final class Pack {
  private final int rank;
  private final int size;
  private final List<PackedCall> calls = new ArrayList<>();
  private long elements;

  Pack(int rank, int size, PackedCall first) {
    this.rank = rank;
    this.size = size;
    add(first);
  }

  void add(PackedCall next) {
    calls.add(next);
    elements += next.call().layout().count(0);
  }

  /** Bytes of the larger buffer so far. */
  long bytes() {
    return calls.stream().mapToLong(each -> each.call().sizeBytes(rank, size)).sum();
  }

  Task task(Function<CollectiveCall, Plan> planner) {
    PackedCall first = calls.get(0);
    if (calls.size() == 1) {
      return new Task(planner.apply(first.call()), first.send(), first.receive());
    }
    CollectiveCall all = first.call().withLayout(new Layout.Even(elements));
    boolean both = all.inputElements(rank, size) > 0 && all.outputElements(rank, size) > 0;
    CollectiveCall inPlace = all.inPlace(both);
    return new Task(planner.apply(inPlace), 0, 0, Optional.of(packing(inPlace)));
  }

  private Packing packing(CollectiveCall all) {
    long own = all.inPlaceOffset(rank) * all.type().sizeBytes();
    boolean spreadsInput = all.inputElements(rank, size) > all.outputElements(rank, size);
    ImmutableList.Builder<Piece> in = ImmutableList.builder();
    ImmutableList.Builder<Piece> out = ImmutableList.builder();
    long done = 0;
    for (PackedCall each : calls) {
      CollectiveCall call = each.call();
      addPieces(in, each.send(), call, call.inputElements(rank, size), done);
      addPieces(out, each.receive(), call, call.outputElements(rank, size), done);
      done += call.layout().count(0);
    }
    return new Packing(
        all.sizeBytes(rank, size),
        spreadsInput ? 0 : own,
        spreadsInput ? own : 0,
        in.build(),
        out.build());
  }

  /** A buffer is one block, which is this rank's own, or a block for each rank. */
  private void addPieces(
      ImmutableList.Builder<Piece> pieces,
      long address,
      CollectiveCall call,
      long held,
      long before) {
    long count = call.layout().count(0);
    long element = call.type().sizeBytes();
    boolean single = held == count;
    long own = call.withLayout(new Layout.Even(elements)).inPlaceOffset(rank);
    for (int block = 0; block < held / count; block++) {
      long at = single ? own : block * elements;
      pieces.add(
          new Piece(address + block * count * element, (at + before) * element, count * element));
    }
  }
}
