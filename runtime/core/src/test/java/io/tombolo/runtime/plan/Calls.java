// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Every sort of call a small job can make, as each of its ranks makes it. */
final class Calls {
  private static final DataType TYPE = DataType.F32;

  private Calls() {}

  /**
   * All operations about {@code count} elements, with every root; out of place, in place, and in
   * place on every other rank.
   */
  static List<List<CollectiveCall>> all(int ranks, long count) {
    List<List<CollectiveCall>> calls = new ArrayList<>();
    for (CollectiveCall call : outOfPlace(ranks, count)) {
      calls.add(Collections.nCopies(ranks, call));
      calls.add(Collections.nCopies(ranks, call.inPlace(true)));
      calls.add(IntStream.range(0, ranks).mapToObj(rank -> call.inPlace(rank % 2 == 0)).toList());
    }
    calls.add(Collections.nCopies(ranks, CollectiveCall.barrier()));
    return calls;
  }

  private static List<CollectiveCall> outOfPlace(int ranks, long count) {
    List<CollectiveCall> calls = new ArrayList<>();
    for (Collective each : Collective.values()) {
      Layout layout = each.isUneven() ? uneven(ranks, count) : new Layout.Even(count);
      for (int root = 0; root < (each.isRooted() ? ranks : 1) && isOfAllRanks(each); root++) {
        for (Reduction reduction : reductions(each, root)) {
          calls.add(new CollectiveCall(each, TYPE, reduction, root, layout, false));
        }
      }
    }
    return calls;
  }

  /** Whether all ranks know all counts, and there are any. */
  private static boolean isOfAllRanks(Collective collective) {
    Signature signature = collective.signature();
    boolean ownCounts = signature.isPairwise() && collective.isUneven();
    return !collective.isPointToPoint()
        && !ownCounts
        && signature.input().content() != Signature.Content.NOTHING;
  }

  /** All reductions; where there is a call for each root, one of them. */
  private static List<Reduction> reductions(Collective collective, int root) {
    if (!collective.isReducing()) {
      return List.of(new Reduction.None());
    }
    List<Reduction> all =
        reductions().stream()
            .filter(
                each ->
                    collective.signature().averages()
                        || !each.equals(new Reduction.By(ReduceOp.AVG)))
            .toList();
    return collective.isRooted() ? List.of(all.get(root % 3)) : all;
  }

  /** An all-to-all, or messages between some, whose blocks have up to {@code most} elements. */
  static List<CollectiveCall> pairwise(Collective collective, int ranks, long most, Random random) {
    long[][] counts = new long[ranks][ranks];
    for (long[] row : counts) {
      for (int to = 0; to < ranks; to++) {
        row[to] = random.nextInt(3) == 0 ? 0 : random.nextLong(most + 1);
      }
    }
    List<CollectiveCall> calls = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      int me = rank;
      long[] received = IntStream.range(0, ranks).mapToLong(from -> counts[from][me]).toArray();
      Layout.Pairwise pairs =
          new Layout.Pairwise(Layout.Uneven.packed(counts[me]), Layout.Uneven.packed(received));
      calls.add(
          collective == Collective.EXCHANGE
              ? CollectiveCall.exchange(pairs, TYPE)
              : move(collective, pairs, 0));
    }
    return calls;
  }

  /** {@code calls}, each on memory of which NICs reach something, on the way to some ranks. */
  static List<CollectiveCall> reached(List<CollectiveCall> calls, Random random) {
    int most = random.nextInt(3); // nothing, something, everything
    return calls.stream()
        .map(
            call ->
                call.reaching(
                    new Reach(
                        peers(calls.size(), peer -> random.nextInt(2) < most),
                        peers(calls.size(), peer -> random.nextInt(2) < most),
                        random.nextInt(2) < most,
                        random.nextInt(2) < most,
                        random.nextInt(4) > 0 ? random.nextInt(30) : Reach.NEVER)))
        .toList();
  }

  private static ImmutableSet<Integer> peers(int ranks, IntPredicate which) {
    return IntStream.range(0, ranks).filter(which).boxed().collect(ImmutableSet.toImmutableSet());
  }

  /** The reach of a rank whose NIC reaches all there is. */
  static Reach everywhere(int ranks) {
    ImmutableSet<Integer> all = peers(ranks, peer -> true);
    return new Reach(all, all, true, true, Reach.NEVER);
  }

  /** As {@link #everywhere}, of a rank whose device combines pieces of two elements and more. */
  static Reach combining(int ranks) {
    ImmutableSet<Integer> all = peers(ranks, peer -> true);
    return new Reach(all, all, true, true, 2L * TYPE.sizeBytes());
  }

  /** The reach of a rank whose NIC reads all there is, and writes nothing. */
  static Reach outwards(int ranks) {
    return new Reach(peers(ranks, peer -> true), ImmutableSet.of(), true, true, Reach.NEVER);
  }

  /** The reach of a rank whose NIC is on the way to even ranks alone. */
  static Reach everyOther(int ranks) {
    ImmutableSet<Integer> even = peers(ranks, peer -> peer % 2 == 0);
    return new Reach(even, even, true, true, Reach.NEVER);
  }

  private static List<Reduction> reductions() {
    return List.of(
        new Reduction.By(ReduceOp.SUM),
        new Reduction.By(ReduceOp.AVG),
        new Reduction.PreMultiplied(0.5),
        new Reduction.UserDefined("test", (left, right, into, type) -> {}));
  }

  private static CollectiveCall move(Collective collective, Layout layout, int root) {
    return CollectiveCall.move(collective, layout, TYPE, root, false);
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
