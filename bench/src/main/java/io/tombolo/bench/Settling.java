// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

/**
 * How long to warm up: batches of calls, until their medians no longer fall, or the time for it is
 * used up. A JVM compiles what it runs often, and again, and for good, what it has run some ten
 * thousand times. Between these stages medians stay the same for hundreds of calls, so that steady
 * ones mean little in a process that has made few calls. Pure, but for what it remembers.
 */
final class Settling {
  /** Calls of the first batch: what a program sees that calls a few times only. */
  static final int FIRST_CALLS = 20;

  /** Calls after which nothing is compiled any more that every call runs. */
  static final long COMPILED_CALLS = 20_000;

  private static final int MAX_CALLS = 500;
  private static final long BATCH_NS = 50_000_000;
  private static final long BUDGET_NS = 500_000_000;
  private static final long COLD_BUDGET_NS = 2_000_000_000;

  /** A median that is not below this share of the least before it has not fallen. */
  private static final double FALLEN = 0.9;

  /** Batches in a row that have not fallen: fewer may be chance, or the compiler's next stage. */
  private static final int STEADY_BATCHES = 3;

  private final boolean cold;
  private long madeCalls;
  private long leastNs = Long.MAX_VALUE;
  private long usedNs;
  private int steady;

  /** In a process that has made {@code madeCalls} calls before, of other sizes. */
  Settling(long madeCalls) {
    this.madeCalls = madeCalls;
    this.cold = madeCalls < COMPILED_CALLS;
  }

  /** A batch of {@code calls} had this median, on the slowest rank; calls of the next, or 0. */
  int next(int calls, long medianNs) {
    madeCalls += calls;
    usedNs += calls * medianNs;
    steady = medianNs < FALLEN * leastNs ? 0 : steady + 1;
    leastNs = Math.min(leastNs, medianNs);
    boolean settled = steady >= STEADY_BATCHES && madeCalls >= COMPILED_CALLS;
    if (settled || usedNs >= (cold ? COLD_BUDGET_NS : BUDGET_NS)) {
      return 0;
    }
    return (int) Math.max(1, Math.min(MAX_CALLS, BATCH_NS / Math.max(1, medianNs)));
  }
}
