package io.tombolo.runtime.exec;

import java.util.concurrent.locks.LockSupport;

/**
 * What who makes the rounds does between two of them. What comes next is often microseconds away,
 * and to be woken takes longer than that: so it stays awake for a moment, but lets others have the
 * core, as processes may outnumber cores. Holds no clock.
 */
final class Rest {
  /** A few rounds: whoever we wait for may need this very core. */
  private static final int SPINS = 5;

  /** Some five times what it takes to wake a thread that sleeps. */
  private static final long BUSY_AWAKE_NS = 200_000;

  private static final long IDLE_AWAKE_NS = 100_000;
  private static final long DOZE_NS = 20_000;

  /** The longest rest while things may come that nobody is woken for. */
  static final long NAP_NS = 1_000_000;

  private int idleRounds;
  private long idleSinceNs;

  /** Ways to let time pass, each longer than the one before. */
  enum Manner {
    /** There was work, so there may be more. */
    NONE,
    /** Keeps the core. */
    SPIN,
    /** Gives it to whoever else can use it. */
    YIELD,
    /** Operations are under way, but nothing has come for a while. */
    DOZE,
    /** Nothing is under way, or another thread makes the rounds. */
    SLEEP;

    /** Rests so on the calling thread, {@code mostNs} long; to unpark it ends the longer ones. */
    @SuppressWarnings("ThreadPriorityCheck") // yielding is a courtesy; progress rests on parking
    void take(long mostNs) {
      switch (this) {
        case NONE -> {}
        case SPIN -> Thread.onSpinWait();
        case YIELD -> Thread.yield();
        case DOZE -> LockSupport.parkNanos(Math.min(DOZE_NS, mostNs));
        case SLEEP -> LockSupport.parkNanos(mostNs);
      }
    }
  }

  /**
   * How to rest after a round.
   *
   * @param done how much was done in it
   * @param busy whether anything is under way
   * @param endNs when it ended
   */
  Manner after(int done, boolean busy, long endNs) {
    if (done > 0) {
      idleRounds = 0;
      return Manner.NONE;
    }
    if (idleRounds == 0) {
      idleSinceNs = endNs;
    }
    if (idleRounds < SPINS) {
      idleRounds++;
      return Manner.SPIN;
    }
    if (endNs - idleSinceNs < (busy ? BUSY_AWAKE_NS : IDLE_AWAKE_NS)) {
      return Manner.YIELD;
    }
    return busy ? Manner.DOZE : Manner.SLEEP;
  }
}
