// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/** What a thread does to its end though it has been interrupted, which it stays. */
public final class Interrupts {
  private Interrupts() {}

  /**
   * Does {@code action} as a thread that has not been interrupted: one that was before does not
   * find its waits over as they begin. An interrupt that comes meanwhile ends them as ever.
   */
  public static void aside(Runnable action) {
    boolean interrupted = Thread.interrupted();
    try {
      action.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for the end of {@code thread}, whose work must not go on beside what comes next; until
   * {@code deadline} at most, and whatever interrupts. Whether it has ended.
   */
  public static boolean join(Thread thread, Deadline deadline) {
    boolean interrupted = false;
    while (thread.isAlive() && !deadline.isExpired()) {
      try {
        thread.join(deadline.waitMs());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
