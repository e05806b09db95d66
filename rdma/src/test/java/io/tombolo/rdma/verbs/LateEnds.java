// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;

import io.tombolo.base.Deadline;
import io.tombolo.emulated.hca.EmulatedHca;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What closed ports have left to rest, of this test and of those before it. */
public final class LateEnds {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final long LOOK_NS = 1_000_000;

  private LateEnds() {}

  /** How many objects of the emulated HCA live, once nothing rests any more. */
  public static long living() {
    hasten();
    return EmulatedHca.living();
  }

  /** Ends all rests now. */
  public static void hasten() {
    Deadline deadline = Deadline.after(BUDGET);
    for (List<Thread> left = threads(); !left.isEmpty(); left = threads()) {
      left.forEach(Thread::interrupt);
      assertFalse(deadline.isExpired(), "the device keeps what has ended: " + left);
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(LateEnd.THREAD))
        .toList();
  }
}
