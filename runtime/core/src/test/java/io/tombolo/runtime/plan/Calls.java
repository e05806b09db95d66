package io.tombolo.runtime.plan;

import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.List;

/** Every sort of call a small job can make. */
final class Calls {
  private static final DataType TYPE = DataType.F32;

  private Calls() {}

  /** All operations about {@code count} elements, with every root, in and out of place. */
  static List<CollectiveCall> all(int ranks, long count) {
    List<CollectiveCall> calls = new ArrayList<>();
    for (boolean inPlace : new boolean[] {false, true}) {
      for (Reduction reduction : reductions()) {
        calls.add(vector(Collective.ALL_REDUCE, count, reduction, 0, inPlace));
        calls.add(CollectiveCall.reduceScatter(new Layout.Even(count), TYPE, reduction, inPlace));
        calls.add(CollectiveCall.reduceScatter(uneven(ranks, count), TYPE, reduction, inPlace));
      }
      for (int root = 0; root < ranks; root++) {
        calls.add(vector(Collective.REDUCE, count, new Reduction.By(ReduceOp.SUM), root, inPlace));
        calls.add(vector(Collective.BROADCAST, count, new Reduction.None(), root, inPlace));
        calls.add(move(Collective.GATHER, new Layout.Even(count), root, inPlace));
        calls.add(move(Collective.SCATTER, new Layout.Even(count), root, inPlace));
        calls.add(move(Collective.GATHER_V, uneven(ranks, count), root, inPlace));
        calls.add(move(Collective.SCATTER_V, uneven(ranks, count), root, inPlace));
      }
      calls.add(move(Collective.ALL_GATHER, new Layout.Even(count), 0, inPlace));
      calls.add(move(Collective.ALL_GATHER_V, uneven(ranks, count), 0, inPlace));
      calls.add(move(Collective.ALL_TO_ALL, new Layout.Even(count), 0, inPlace));
    }
    return calls;
  }

  private static List<Reduction> reductions() {
    return List.of(
        new Reduction.By(ReduceOp.SUM),
        new Reduction.By(ReduceOp.AVG),
        new Reduction.PreMultiplied(0.5),
        new Reduction.UserDefined("test", (left, right, into, type) -> {}));
  }

  private static CollectiveCall vector(
      Collective collective, long count, Reduction reduction, int root, boolean inPlace) {
    return CollectiveCall.vector(collective, count, TYPE, reduction, root, inPlace);
  }

  private static CollectiveCall move(
      Collective collective, Layout layout, int root, boolean inPlace) {
    return CollectiveCall.move(collective, layout, TYPE, root, inPlace);
  }

  /** Blocks of different sizes, some empty, in an order of their own, with gaps. */
  private static Layout.Uneven uneven(int ranks, long count) {
    ImmutableLongArray.Builder counts = ImmutableLongArray.builder();
    long[] offsets = new long[ranks];
    long next = 1;
    for (int rank = 0; rank < ranks; rank++) {
      counts.add(rank % 3 == 1 ? 0 : count + rank);
    }
    ImmutableLongArray sizes = counts.build();
    for (int rank = ranks - 1; rank >= 0; rank--) {
      offsets[rank] = next;
      next += sizes.get(rank) + rank % 2;
    }
    return new Layout.Uneven(sizes, ImmutableLongArray.copyOf(offsets));
  }
}
