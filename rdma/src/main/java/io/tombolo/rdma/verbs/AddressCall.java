// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Throwables;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call that {@link Resolver} makes. What it touches is the resolver's until it is over, and
 * then its owner's again, who sees all that it did. Thread-safe.
 */
final class AddressCall implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(AddressCall.class);

  private final BooleanSupplier call;
  private final int failures;
  private final long number;
  private final AtomicBoolean taken = new AtomicBoolean();
  private final CompletableFuture<Boolean> result = new CompletableFuture<>();

  /**
   * Will make {@code call}.
   *
   * @param failures how often the same call has failed before
   * @param number of all calls on this port
   */
  AddressCall(BooleanSupplier call, int failures, long number) {
    this.call = call;
    this.failures = failures;
    this.number = number;
  }

  int failures() {
    return failures;
  }

  long number() {
    return number;
  }

  /** Makes it, unless it was cancelled. */
  @Override
  public void run() {
    if (taken.compareAndSet(false, true)) {
      try {
        result.complete(call.getAsBoolean());
      } catch (RuntimeException | Error e) { // its owner's to tell
        result.completeExceptionally(e);
      }
    }
  }

  /** Ends it if it has not begun: it is never made. */
  void cancel() {
    if (taken.compareAndSet(false, true)) {
      result.complete(false);
    }
  }

  boolean isOver() {
    return result.isDone();
  }

  /** Whether it has done what it does; throws what it threw. It is over, or is waited for. */
  boolean outcome() {
    try {
      return result.join();
    } catch (CompletionException e) {
      Throwables.throwIfUnchecked(e.getCause());
      throw e;
    }
  }

  /** Cancels it, or waits until it is over, whatever comes of it: about a second at most. */
  void end() {
    cancel();
    try {
      result.join();
    } catch (CompletionException e) {
      log.debug("a call that nobody waits for any more has failed", e.getCause());
    }
  }
}
