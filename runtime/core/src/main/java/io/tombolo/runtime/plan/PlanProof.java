package io.tombolo.runtime.plan;

import java.util.List;
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
   * Plans {@code call} for all ranks and verifies the plans; of a long vector, those for its first
   * segments, since the rest repeats them. Of a call whose counts each rank alone knows nothing can
   * be proven here.
   *
   * @return the bytes of the vector that the proof is about
   * @throws PlanDefect if the planner made a mistake
   */
  public static long prove(PlanContext context, CollectiveCall call) {
    if (call.layout() instanceof Layout.Pairwise) {
      return 0;
    }
    CollectiveCall proven = shortened(context, call);
    PlanVerifier.verify(context.clustering(), plans(context, proven));
    return proven.sizeBytes(0, context.clustering().size());
  }

  /** The same call of fewer elements; a layout that differs from rank to rank is kept. */
  private static CollectiveCall shortened(PlanContext context, CollectiveCall call) {
    long most = SEGMENTS * context.tuning().segmentBytes() / call.type().sizeBytes();
    return call.layout() instanceof Layout.Even even
        ? call.withLayout(new Layout.Even(Math.min(even.count(), most)))
        : call;
  }

  /** The plans of all ranks for {@code call}, by rank. */
  public static List<Plan> plans(PlanContext context, CollectiveCall call) {
    Planner planner = new Planner(context);
    return IntStream.range(0, context.clustering().size())
        .mapToObj(rank -> planner.plan(call, rank))
        .toList();
  }
}
