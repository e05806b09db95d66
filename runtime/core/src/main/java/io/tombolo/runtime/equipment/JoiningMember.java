// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.engine.VendorAbort;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member on its way into a vendor's communicator: one thread goes, and another waits for it, and
 * may leave it. What has been joined by then is aborted, so that its kernels end, and with them the
 * first calls and their thread. A library that cannot abort, or is still joining, is left behind on
 * a tainted device.
 */
final class JoiningMember {
  private static final Logger LOG = LoggerFactory.getLogger(JoiningMember.class);

  /** How long a thread in the library may be about to come back from joining. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  /** How long the first calls may take to end once the library has given up. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final int rank;
  private final DeviceAdaptor device;
  private final boolean canAbort;
  private final CompletableFuture<Boolean> threadEnd = new CompletableFuture<>();
  private final CompletableFuture<Boolean> abortEnd = new CompletableFuture<>();
  private Optional<CclCommunicator> joined = Optional.empty();
  private boolean isLeft;

  /** This is {@code rank}, with {@code device} and a library that can abort or not. */
  JoiningMember(int rank, DeviceAdaptor device, boolean canAbort) {
    this.rank = rank;
    this.device = device;
    this.canAbort = canAbort;
  }

  /**
   * Joins by {@code library}, and then makes {@code firstCalls}; but a member that was left before
   * it had joined makes none, as nobody would end them: it aborts.
   */
  CclCommunicator enter(Supplier<CclCommunicator> library, Consumer<CclCommunicator> firstCalls) {
    try {
      CclCommunicator communicator = library.get();
      if (!canAbort || isAwaited(communicator)) {
        firstCalls.accept(communicator);
      } else {
        abort(communicator);
      }
      return communicator;
    } finally {
      threadEnd.complete(true);
    }
  }

  /**
   * Nobody waits for it any more. The device is tainted if the member's thread, or the library's
   * abort, has not ended within seconds, until it has; an interrupted thread does not wait for
   * that.
   */
  void leave() {
    Optional<CclCommunicator> known = left();
    if (canAbort) {
      known.ifPresent(this::abort);
    }
    if (!canAbort || !endsWithin(known.isPresent() ? PATIENCE : MOMENT)) {
      device.taint(); // the thread left behind may come to life again
      CompletableFuture<Void> unused = end().thenRun(device::endTaint);
    }
  }

  /** One of the two threads sees the other: here, or in {@link #left}. */
  private synchronized boolean isAwaited(CclCommunicator communicator) {
    joined = Optional.of(communicator);
    return !isLeft;
  }

  private synchronized Optional<CclCommunicator> left() {
    isLeft = true;
    return joined;
  }

  private void abort(CclCommunicator communicator) {
    try {
      VendorAbort.begin(communicator, () -> abortEnd.complete(true)).await();
    } catch (TomboloException e) {
      LOG.warn("rank {}: the library does not give up what was joined: {}", rank, e.getMessage());
    }
  }

  /** Never comes if nothing is aborted. */
  private CompletableFuture<Void> end() {
    return CompletableFuture.allOf(threadEnd, abortEnd);
  }

  private boolean endsWithin(Duration patience) {
    try {
      Object unused = end().get(patience.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
