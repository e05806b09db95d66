// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

/**
 * Whether those who call wait for the end at once, as a rule: then nobody need be woken for the
 * next call, because its caller will make the rounds itself. Where they do something else first,
 * the agent is to work meanwhile. A guess: who breaks the habit has the agent come a nap later,
 * once. Thread-safe.
 */
final class CallerHabit {
  /** Calls in a row that make a habit. */
  private static final int CALLS = 8;

  /** Less than it takes to wake a thread and have it take up the call. */
  private static final long AT_ONCE_NS = 20_000;

  private volatile int streak;
  private volatile boolean waited;
  private volatile long calledNs;

  /** A call has come in; whether its caller is about to wait for it. */
  boolean onCall(long nowNs) {
    int kept = waited ? Math.min(streak + 1, CALLS) : 0;
    streak = kept;
    waited = false;
    calledNs = nowNs;
    return kept == CALLS;
  }

  /** The caller of the last call has come to wait for its end, before that had come. */
  void onWait(long nowNs) {
    waited = nowNs - calledNs < AT_ONCE_NS;
  }
}
