// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.ReduceOp;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What every operation means, in numbers: written down from the documents of the operations alone,
 * and shared with neither planner nor verifier.
 */
final class CallOracle {
  private static final long PRIME = (1L << 31) - 1;

  private final List<CollectiveCall> calls;
  private final CollectiveCall call;

  /** Takes the elements of a buffer. */
  interface Cells {
    void set(long index, long value);
  }

  /** The meaning of one call, as each rank makes it. */
  CallOracle(List<CollectiveCall> calls) {
    this.calls = calls;
    this.call = calls.get(0);
  }

  /** What {@code rank} has in its input before. */
  void inputs(int rank, Cells input) {
    Layout layout = calls.get(rank).layout();
    switch (call.collective()) {
      case BROADCAST -> give(rank, 0, rank == call.root() ? layout.count(rank) : 0, input);
      case SCATTER, SCATTER_V -> {
        if (rank == call.root()) {
          giveBlocks(rank, layout, input);
        }
      }
      case REDUCE_SCATTER, REDUCE_SCATTER_V, ALL_TO_ALL, ALL_TO_ALL_V, EXCHANGE ->
          giveBlocks(rank, layout.sends(), input);
      case ALL_REDUCE, REDUCE, ALL_GATHER, ALL_GATHER_V, GATHER, GATHER_V ->
          give(rank, 0, layout.count(rank), input);
      case SCAN, EXSCAN -> give(rank, 0, layout.count(rank), input);
      case BARRIER -> {}
    }
  }

  /** What {@code rank} has in its output afterwards. */
  void outputs(int rank, Cells output) {
    Layout layout = calls.get(rank).layout();
    long own = layout.count(rank);
    boolean rooted = rank == call.root();
    switch (call.collective()) {
      case ALL_REDUCE -> reduced(0, own, output);
      case REDUCE -> reduced(0, rooted ? own : 0, output);
      case REDUCE_SCATTER, REDUCE_SCATTER_V -> reduced(layout.offset(rank), own, output);
      case BROADCAST -> received(call.root(), 0, 0, own, output);
      case SCATTER, SCATTER_V -> received(call.root(), layout.offset(rank), 0, own, output);
      case ALL_GATHER, ALL_GATHER_V -> gathered(layout, output);
      case GATHER, GATHER_V -> {
        if (rooted) {
          gathered(layout, output);
        }
      }
      case SCAN -> prefix(rank + 1, own, output);
      case EXSCAN -> prefix(rank, rank == 0 ? 0 : own, output);
      case BARRIER -> {}
      case ALL_TO_ALL, ALL_TO_ALL_V, EXCHANGE -> {
        for (int from = 0; from < calls.size(); from++) {
          long at = calls.get(from).layout().sends().offset(rank);
          long count = layout.receives().count(from);
          received(from, at, layout.receives().offset(from), count, output);
        }
      }
    }
  }

  /** {@code left} and {@code right} combined. */
  static long combined(Reduction reduction, long left, long right) {
    if (reduction instanceof Reduction.UserDefined) {
      return composed(left, right);
    }
    return combined(reduction.inner(), left, right);
  }

  static long combined(ReduceOp op, long left, long right) {
    return switch (op) {
      case SUM, AVG -> left + right;
      case PROD -> left * right;
      case MIN -> Math.min(left, right);
      case MAX -> Math.max(left, right);
      case BAND, BOR, BXOR -> throw new IllegalStateException("no plan here combines by " + op);
    };
  }

  /** A pre-multiplication that cannot be mistaken for another, nor for none. */
  static long scaled(double factor, long value) {
    return value * (Double.doubleToLongBits(factor) | 1);
  }

  /** x ↦ a·x + b, one after the other: associative, but not commutative. */
  private static long composed(long left, long right) {
    long factor = (left >>> 32) % PRIME * ((right >>> 32) % PRIME) % PRIME;
    long rest = ((left & 0xFFFF_FFFFL) * ((right >>> 32) % PRIME) % PRIME + right) & 0xFFFF_FFFFL;
    return factor << 32 | rest % PRIME;
  }

  private static long given(int rank, long index) {
    long mixed = (rank + 1) * 0x9E37_79B9_7F4A_7C15L + index * 0xC2B2_AE3D_27D4_EB4FL;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58_476D_1CE4_E5B9L;
    return ((mixed >>> 33) % PRIME) << 32 | (mixed & 0xFFFF_FFFFL) % PRIME;
  }

  private static void give(int rank, long from, long count, Cells cells) {
    for (long i = from; i < from + count; i++) {
      cells.set(i, given(rank, i));
    }
  }

  private void giveBlocks(int rank, Layout blocks, Cells cells) {
    IntStream.range(0, calls.size())
        .forEach(block -> give(rank, blocks.offset(block), blocks.count(block), cells));
  }

  private void gathered(Layout layout, Cells cells) {
    for (int from = 0; from < calls.size(); from++) {
      received(from, 0, layout.offset(from), layout.count(from), cells);
    }
  }

  private static void received(int from, long there, long here, long count, Cells cells) {
    for (long i = 0; i < count; i++) {
      cells.set(here + i, given(from, there + i));
    }
  }

  private void reduced(long from, long count, Cells cells) {
    for (long i = 0; i < count; i++) {
      cells.set(i, reduced(from + i));
    }
  }

  /** What the first {@code ranks} ranks have, one folded into the other. */
  private void prefix(int ranks, long count, Cells cells) {
    for (long i = 0; i < count; i++) {
      cells.set(i, folded(ranks, i));
    }
  }

  private long folded(int ranks, long index) {
    long sum = contribution(0, index);
    for (int rank = 1; rank < ranks; rank++) {
      sum = combined(call.reduction(), sum, contribution(rank, index));
    }
    return sum;
  }

  private long reduced(long index) {
    long sum = folded(calls.size(), index);
    return call.reduction() instanceof Reduction.By by && by.op() == ReduceOp.AVG
        ? sum / calls.size()
        : sum;
  }

  private long contribution(int rank, long index) {
    return calls.get(rank).reduction() instanceof Reduction.PreMultiplied by
        ? scaled(by.factor(), given(rank, index))
        : given(rank, index);
  }
}
