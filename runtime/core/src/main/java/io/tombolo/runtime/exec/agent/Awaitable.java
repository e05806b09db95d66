// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;

/** What a caller waits for, and how it sleeps until then. Thread-safe. */
public interface Awaitable {
  /** Whether the wait is over. */
  boolean isOver();

  /** Sleeps until it is over, somebody {@linkplain #signal signals}, or {@code deadline}. */
  void sleep(Deadline deadline) throws InterruptedException;

  /** Ends a sleep early, or the next one: the progress lock is free. */
  void signal();
}
