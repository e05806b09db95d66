// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.primitives.ImmutableLongArray;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Proves the plans of a whole job at once: those that this rank would run, and those of all the
 * others.
 */
public final class PlanProof {
  /**
   * The proof relates every pair of steps; a vector of this many segments goes through all phases.
   */
  private static final int SEGMENTS = 4;

  private PlanProof() {}

  /**
   * Plans {@code call} for all ranks and verifies the plans; of long blocks, those for their first
   * segments, since the rest repeats them. Of a call whose counts each rank alone knows, the
   * others' counts are imagined so that they fit this rank's.
   *
   * @param rank whose view of the call it is
   * @return the bytes of this rank's buffer that the proof is about
   * @throws PlanDefect if the planner made a mistake
   */
  public static long prove(PlanContext context, CollectiveCall call, int rank) {
    return prove(context, call, rank, each -> call.reach());
  }

  /** As the other, where {@code reach} is what each rank reaches. */
  public static long prove(
      PlanContext context, CollectiveCall call, int rank, IntFunction<Reach> reach) {
    int size = context.clustering().size();
    long most = SEGMENTS * context.tuning().segmentBytes() / call.type().sizeBytes();
    CollectiveCall proven = call.withLayout(shortened(call.layout(), most));
    List<CollectiveCall> calls = everyones(proven, rank, size);
    Planner planner = new Planner(context);
    PlanVerifier.verify(
        context.clustering(),
        IntStream.range(0, size)
            .mapToObj(each -> planner.plan(calls.get(each).reaching(reach.apply(each)), each))
            .toList());
    return proven.sizeBytes(rank, size);
  }

  /** The same blocks in the same places, none of more than {@code most} elements. */
  private static Layout shortened(Layout layout, long most) {
    if (layout instanceof Layout.Even even) {
      return new Layout.Even(Math.min(even.count(), most));
    }
    if (layout instanceof Layout.Uneven uneven) {
      return new Layout.Uneven(
          ImmutableLongArray.copyOf(uneven.counts().stream().map(each -> Math.min(each, most))),
          uneven.offsets());
    }
    if (layout instanceof Layout.One one) {
      return new Layout.One(one.rank(), Math.min(one.elements(), most));
    }
    return new Layout.Pairwise(shortened(layout.sends(), most), shortened(layout.receives(), most));
  }

  private static List<CollectiveCall> everyones(CollectiveCall call, int rank, int size) {
    return IntStream.range(0, size)
        .mapToObj(
            each ->
                each == rank || !(call.layout() instanceof Layout.Pairwise)
                    ? call
                    : call.withLayout(imagined(call, rank, each, size)).inPlace(false))
        .toList();
  }

  private static Layout imagined(CollectiveCall call, int rank, int other, int size) {
    return new Layout.Pairwise(
        Layout.Uneven.packed(
            IntStream.range(0, size).mapToLong(to -> count(call, rank, other, to)).toArray()),
        Layout.Uneven.packed(
            IntStream.range(0, size).mapToLong(from -> count(call, rank, from, other)).toArray()));
  }

  /** This rank's counts where it knows them; else some that look like them. */
  private static long count(CollectiveCall call, int rank, int from, int to) {
    long sent = call.layout().sends().count(to);
    long received = call.layout().receives().count(from);
    if (from == rank || to == rank) {
      return from == rank ? sent : received;
    }
    return call.collective().isPointToPoint() ? 0 : (sent + received + 1) / 2;
  }
}
