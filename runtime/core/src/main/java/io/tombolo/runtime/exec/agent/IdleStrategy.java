// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import java.util.concurrent.locks.LockSupport;

/**
 * What who makes the rounds does between two of them. What comes next is often microseconds away,
 * and to be woken takes longer than that: so it stays awake for a moment, but lets others have the
 * core, as processes may outnumber cores. Holds no clock.
 */
final class IdleStrategy {
  /** A few rounds: whoever we wait for may need this very core. */
  private static final int SPINS = 5;

  /**
   * Who yields a core that others want is without it for a slice of theirs, milliseconds: where
   * there is a core for each rank, a caller keeps its own for as long as small operations take.
   */
  static final long OWN_CORE_SPIN_NS = 50_000;

  /** Some five times what it takes to wake a thread that sleeps. */
  private static final long BUSY_AWAKE_NS = 200_000;

  private static final long IDLE_AWAKE_NS = 100_000;
  private static final long SHORT_PARK_NS = 20_000;

  /** The longest park while things may come that nobody is woken for. */
  static final long NAP_NS = 1_000_000;

  private final long spinNs;
  private final SharedCore sharedCore;
  private int idleRounds;
  private long idleSinceNs;
  private boolean hasYielded;
  private long lastEndNs;

  /** Keeps the core for a few rounds only. */
  IdleStrategy() {
    this(0, new SharedCore());
  }

  /**
   * Keeps the core for {@code spinNs} while something is under way, and for a few rounds anyhow.
   *
   * @param spinNs 0 unless there is a core for each who waits
   * @param sharedCore what the waits before have found, too
   */
  IdleStrategy(long spinNs, SharedCore sharedCore) {
    this.spinNs = spinNs;
    this.sharedCore = sharedCore;
  }

  /** How to let time pass, each longer than the one before. */
  enum Mode {
    /** There was work, so there may be more. */
    NONE,
    /** Keeps the core. */
    SPIN,
    /** Gives it to whoever else can use it. */
    YIELD,
    /** Operations are under way, but nothing has come for a while. */
    PARK_BRIEFLY,
    /** Nothing is under way, or another thread makes the rounds. */
    PARK;

    /**
     * Idles so on the calling thread, {@code maxNs} long; {@link LockSupport#unpark} ends the
     * longer ones.
     */
    @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy; progress rests on parking
    void idle(long maxNs) {
      switch (this) {
        case NONE -> {}
        case SPIN -> Thread.onSpinWait();
        case YIELD -> Thread.yield();
        case PARK_BRIEFLY -> LockSupport.parkNanos(Math.min(SHORT_PARK_NS, maxNs));
        case PARK -> LockSupport.parkNanos(maxNs);
      }
    }
  }

  /**
   * How to idle after a round.
   *
   * @param done how much was done in it
   * @param busy whether anything is under way
   * @param startNs when it began
   * @param endNs when it ended
   */
  Mode after(int done, boolean busy, long startNs, long endNs) {
    if (hasYielded) {
      sharedCore.onYield(startNs - lastEndNs);
    }
    lastEndNs = endNs;
    Mode mode = next(done, busy, endNs);
    hasYielded = mode == Mode.YIELD;
    return mode;
  }

  private Mode next(int done, boolean busy, long endNs) {
    if (done > 0) {
      idleRounds = 0;
      return Mode.NONE;
    }
    if (idleRounds == 0) {
      idleSinceNs = endNs;
    }
    if (idleRounds < SPINS) {
      idleRounds++;
      return Mode.SPIN;
    }
    if (busy && endNs - idleSinceNs < spinNs) {
      return Mode.SPIN;
    }
    if (busy && spinNs > 0 && sharedCore.isToSleep(endNs)) {
      return Mode.PARK_BRIEFLY;
    }
    if (endNs - idleSinceNs < (busy ? BUSY_AWAKE_NS : IDLE_AWAKE_NS)) {
      return Mode.YIELD;
    }
    return busy ? Mode.PARK_BRIEFLY : Mode.PARK;
  }
}
