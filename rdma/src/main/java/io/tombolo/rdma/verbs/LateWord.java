// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * The moment that a device has to say all of what it has begun to tell: an event may come after
 * what it tells of, and the other way round. It is counted by the looks for it, so that a process
 * that stands still does not use it up without having looked.
 */
final class LateWord {
  private static final long MOMENT_NS = 100_000_000;

  /** How much of it may pass between two looks. */
  private static final long MOST_NS = 10_000_000;

  private boolean begun;
  private long lastNs;
  private long passedNs;

  /** Whether somebody waits for it. */
  boolean isDue() {
    return begun;
  }

  /** Nothing was there at {@code nowNs}, either: whether it does not come any more. */
  boolean isTooLate(long nowNs) {
    if (begun) {
      passedNs += Math.min(nowNs - lastNs, MOST_NS);
    }
    begun = true;
    lastNs = nowNs;
    return passedNs > MOMENT_NS;
  }
}
