// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

/** Which core a caller has to wait on, and so how it waits. */
public enum Cores {
  /** One of its own: it keeps it for as long as small operations take. */
  OWN,
  /** There are as many as ranks, but emulated devices work on them, too, for moments. */
  ENOUGH,
  /**
   * There are fewer than ranks: who is waited for may want this very core. It gets it at once, and
   * the caller has it back sooner than somebody would wake it.
   */
  SCARCE;

  /** Some 10 µs: more than the others' votes take if they call at the same time. */
  private static final int MANY = 160;

  /** Before who is waited for gets the core. */
  private static final int FEW = 2;

  private static final long IN_TURNS_NS = 200_000;

  /**
   * How often a caller looks whether the others have voted, before it waits in another way.
   *
   * @param least looks that it makes, however long they take
   * @param forNs how long it goes on after these
   * @param keeping looks that it makes before it begins to give its core away in between
   * @param giveAway gives it away; returns when it is back
   */
  record Looks(int least, long forNs, int keeping, Runnable giveAway) {}

  @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy: who gets nowhere waits next
  private static void yieldCore() {
    Thread.yield();
  }

  /** How long a caller that makes the rounds keeps its core while something is under way. */
  long spinNs() {
    return this == OWN ? IdleStrategy.OWN_CORE_SPIN_NS : 0;
  }

  /** How it looks for votes before that. */
  Looks looks() {
    return this == SCARCE
        ? new Looks(FEW, IN_TURNS_NS, FEW, Cores::yieldCore)
        : new Looks(MANY, spinNs(), Integer.MAX_VALUE, Cores::yieldCore);
  }
}
