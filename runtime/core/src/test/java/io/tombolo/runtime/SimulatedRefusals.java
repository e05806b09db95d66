// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;

/** What must be refused, and at once: nobody and nothing is waited for. */
final class SimulatedRefusals {
  private static final Duration LONG = SimulatedJob.TIMEOUT.multipliedBy(2);

  /** In the world's time; the calling thread may lose its turn to all others for some steps. */
  private static final long AT_ONCE_NS = 20_000_000;

  private SimulatedRefusals() {}

  /**
   * All calls of {@code closed}.
   *
   * @param ended a call that was made there, and has ended
   */
  static void requireAll(Communicator closed, Stream stream, Work ended) {
    PlacedCall barrier = PlacedCall.barrier();
    require("a call", () -> closed.barrier(stream));
    require("a call that blocks", () -> closed.call(barrier, CallOptions.BLOCKING, stream));
    require("a group of calls", () -> closed.group(List.of(barrier), CallOptions.STANDARD, stream));
    require("a message", () -> closed.exchange(List.of(), stream));
    require("meet", () -> closed.meet(LONG));
    require(
        "split",
        () -> {
          Object unused = closed.split(0, 0);
        });
    require(
        "duplicate",
        () -> {
          Object unused = closed.duplicate();
        });
    require("agree", () -> closed.agree(-1, LONG));
    require("abort", closed::abort);
    require("the abort of a call", ended::abort);
    closed.close(); // harmless
  }

  static void require(String what, Runnable call) {
    long beforeNs = System.nanoTime();
    try {
      call.run();
    } catch (UsageException e) {
      long tookNs = System.nanoTime() - beforeNs;
      if (tookNs > AT_ONCE_NS) {
        throw new AssertionError(what + " was refused only after " + tookNs + " ns", e);
      }
      return;
    }
    throw new AssertionError(what + " was not refused");
  }
}
