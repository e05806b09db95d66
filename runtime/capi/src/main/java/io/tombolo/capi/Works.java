// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.work.Work;
import java.time.Duration;

/** What C asks of a work. */
final class Works {
  /** Milliseconds that stand for as long as the operation may take. */
  static final long STANDARD_TIME = -1;

  private Works() {}

  /**
   * Waits for the end.
   *
   * @param milliseconds how long, or {@link #STANDARD_TIME}
   * @return whether it has come
   * @throws TomboloException the operation's error
   */
  static boolean await(Work work, long milliseconds) {
    try {
      if (milliseconds < 0) {
        work.await();
      } else {
        work.await(Duration.ofMillis(milliseconds));
      }
      return true;
    } catch (TomboloException e) {
      return work.isDone() && requireWell(work); // it may have ended just after the time
    }
  }

  /**
   * Waits for as long as the operation may take.
   *
   * @throws TomboloException the operation's error, or why it was not waited for any longer
   */
  static void awaitEnd(Work work) {
    try {
      work.await();
    } catch (TomboloException e) {
      if (!work.isDone()) {
        throw e;
      }
      requireWell(work);
    }
  }

  /** Whether it has ended well. */
  static boolean isWell(Work work) {
    return work.isDone() && work.error().isEmpty();
  }

  /**
   * What a call that blocks has come to: whether it has ended.
   *
   * @throws TomboloException the operation's error
   */
  static boolean requireWell(Work work) {
    work.error()
        .ifPresent(
            error -> {
              throw error;
            });
    return work.isDone();
  }
}
