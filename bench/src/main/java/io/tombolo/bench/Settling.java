// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

/**
 * How long to warm up: batches of calls, until their medians no longer fall, or the time for it is
 * used up. A JVM compiles what it runs often, so that the first calls take many times as long as
 * later ones. Pure, but for what it remembers.
 */
final class Settling {
  /** Calls of the first batch: what a program sees that calls a few times only. */
  static final int FIRST_CALLS = 20;

  private static final int MAX_CALLS = 500;
  private static final long BATCH_NS = 50_000_000;
  private static final long BUDGET_NS = 500_000_000;

  /** A median that is not below this share of the least before it has not fallen. */
  private static final double FALLEN = 0.9;

  /** Batches in a row that have not fallen: fewer may be chance, or the compiler's next stage. */
  private static final int STEADY_BATCHES = 3;

  private long leastNs = Long.MAX_VALUE;
  private long usedNs;
  private int steady;

  /** A batch of {@code calls} had this median, on the slowest rank; calls of the next, or 0. */
  int next(int calls, long medianNs) {
    usedNs += calls * medianNs;
    steady = medianNs < FALLEN * leastNs ? 0 : steady + 1;
    leastNs = Math.min(leastNs, medianNs);
    if (steady == STEADY_BATCHES || usedNs >= BUDGET_NS) {
      return 0;
    }
    return (int) Math.max(1, Math.min(MAX_CALLS, BATCH_NS / Math.max(1, medianNs)));
  }
}
