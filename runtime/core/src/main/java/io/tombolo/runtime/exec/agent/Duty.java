// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.WakeUps;
import java.util.Optional;

/**
 * Something the agent takes forward, a little at a time. Called by one thread at a time, the one
 * that holds the progress lock: the agent's, or that of a caller who waits.
 */
public interface Duty {
  /**
   * Does what can be done without waiting, at most about 100 µs of it; returns how much was done, 0
   * for nothing.
   */
  int work();

  /**
   * Whether {@link #work} may find something new, as far as one cheap look tells; true where nobody
   * can tell. For who takes this duty forward and looks more often than it works.
   */
  default boolean mayHaveNews() {
    return true;
  }

  /**
   * Whether something is under way that the next call may find finished: the agent then looks again
   * soon. Thread-safe.
   */
  boolean isBusy();

  /** Whether there is nothing left to do, ever: the agent then lets go of it. */
  default boolean isOver() {
    return false;
  }

  /**
   * Whether {@link #work} never waits in code of others, such as a vendor's library; it stays the
   * same. Only then callers take it forward themselves: they have a deadline to keep.
   */
  default boolean isPrompt() {
    return false;
  }

  /**
   * Tells {@code wakeUps} what else gives {@link #work}, which has just done nothing, something to
   * do again while it is not {@linkplain #isBusy busy}; as a rule only {@link Agent#wake} does.
   */
  default void awaits(WakeUps wakeUps) {}

  /** The vendor's call that {@link #work} is in, where that is known. On any thread. */
  default Optional<String> callUnderWay() {
    return Optional.empty();
  }

  /**
   * Ends what is overdue: the thread that should see it is stuck, in {@link #work} of this duty or
   * of another. On the watchdog's thread, again and again.
   */
  default void onStuck(StuckRound stuck) {}

  /**
   * {@link #work} or {@link #awaits} has thrown {@code cause}, and is not called again. On the
   * agent's thread.
   */
  void fail(Throwable cause);
}
