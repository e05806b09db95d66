package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;

/** What a caller waits for, and how it sleeps until then. Thread-safe. */
interface Awaited {
  /** Whether the wait is over. */
  boolean isOver();

  /** Sleeps until it is over, somebody {@linkplain #nudge nudges}, or {@code deadline}. */
  void sleep(Deadline deadline) throws InterruptedException;

  /** Ends a sleep early, or the next one: the baton is free. */
  void nudge();
}
