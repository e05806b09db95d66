// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for a word of memory that nobody signals: spin, then yield, then sleep 50 µs
 * at a time, because processes outnumber cores. For one thread, for one wait.
 */
final class Backoff {
  private static final int SPINS = 200;
  private static final int YIELDS = 50;
  private static final long PARK_NS = 50_000;

  private int rounds;

  /** Lets a little time pass, a little more each time. */
  @SuppressWarnings(
      "ThreadPriorityCheck") // yielding is only a courtesy here; progress rests on parking
  void pause() {
    if (rounds < SPINS) {
      Thread.onSpinWait();
    } else if (rounds < SPINS + YIELDS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(PARK_NS);
      return;
    }
    rounds++;
  }

  /** Whether waiting has become so long that the thread should block until it is woken. */
  boolean isPatient() {
    return rounds >= SPINS + YIELDS;
  }
}
