// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

/**
 * Whether a caller has to share its core with a thread that is always ready, such as another rank's
 * caller, though there are cores for both. Then each message waits until the other has spun in
 * vain, and yielded. The scheduler leaves such a pair where it is, for each has just run when the
 * other yields. Whom a timer wakes it places anew, on a core that is idle: so a short sleep parts
 * them. Not thread-safe; holds no clock.
 */
final class SharedCore {
  /** Longer than the yield of a core that nobody else wants, by far. */
  private static final long LONG_YIELD_NS = 20_000;

  /** Others want a core now and then: that is no reason to sleep. */
  private static final int ENOUGH = 4;

  /** If all cores are busy the sleep was in vain, some 70 µs: not more often than this. */
  private static final long RETRY_NS = 2_000_000;

  private int longYields;
  private boolean hasSlept;
  private long sleptNs;

  /** A yield was over after {@code tookNs}. */
  void onYield(long tookNs) {
    longYields = tookNs < LONG_YIELD_NS ? 0 : longYields + 1;
  }

  /** Whether who would yield at {@code nowNs} is to sleep for a moment instead; it does, then. */
  boolean isToSleep(long nowNs) {
    if (longYields < ENOUGH || (hasSlept && nowNs - sleptNs < RETRY_NS)) {
      return false;
    }
    hasSlept = true;
    sleptNs = nowNs;
    longYields = 0;
    return true;
  }
}
