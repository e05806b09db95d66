package io.tombolo.runtime.exec;

/** Something the agent takes forward, a little at a time. Called by the agent's thread only. */
public interface Duty {
  /**
   * Does what can be done without waiting, at most about 100 µs of it; returns how much was done, 0
   * for nothing.
   */
  int work();

  /**
   * Whether something is under way that the next call may find finished: the agent then looks again
   * soon.
   */
  boolean isBusy();

  /** Whether there is nothing left to do, ever: the agent then lets go of it. */
  default boolean isOver() {
    return false;
  }

  /** The agent is about to stop because of {@code cause}. */
  void fail(Throwable cause);
}
