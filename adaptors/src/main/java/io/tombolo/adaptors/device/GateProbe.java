// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/**
 * Tries whether the call that opens a gate returns while a stream is held, where no document says
 * so. The shim's watcher makes it for streams that wait: if it waited for one of them, both would
 * wait for ever.
 *
 * <p>A function on the host holds the stream here, as it ends whatever comes of it; a gate that
 * cannot be opened would hold it for good. Vendors may run the functions of all streams one after
 * the other, so it takes no longer than the call does. That what waits for a stream waits for both
 * alike, is taken for granted.
 */
final class GateProbe {
  /** For what takes microseconds, unless it waits for a stream. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final RuntimeDevice device;
  private final long handle;

  /** Of {@code device}, behind {@code handle}. */
  GateProbe(RuntimeDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  /** What is wrong with it, if anything is. */
  Optional<String> objection() {
    if (!device.features().contains(DeviceFeature.HOST_FUNCTIONS)) {
      return Optional.of("whether opening a gate waits cannot be tried without host functions");
    }
    try (CloseStack stack = new CloseStack()) {
      return objection(stack);
    } catch (VendorException e) {
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> objection(CloseStack stack) {
    Stream held = stack.opened(device.newStream());
    call(); // a first use may wait, whatever later ones do
    FutureTask<?> call = new FutureTask<>(this::call, null);
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    boolean begins;
    boolean passes;
    held.launchHostFunction(() -> hold(holds, letGo));
    try {
      begins = Uninterruptibles.awaitUninterruptibly(holds, LIMIT);
      passes = begins && returns(started(call));
    } finally {
      letGo.countDown();
    }
    if ((begins && !returns(call)) || !WordProbe.within(LIMIT, held::isIdle)) {
      stack.keep(); // what is stuck may be using it
    }
    return passes ? Optional.empty() : Optional.of("opening a gate waits for other streams");
  }

  private void call() {
    DeviceLibrary.tryGate(handle);
  }

  private static void hold(CountDownLatch holds, CountDownLatch letGo) {
    holds.countDown();
    Uninterruptibles.awaitUninterruptibly(letGo, LIMIT.multipliedBy(2));
  }

  private static Future<?> started(FutureTask<?> call) {
    Thread thread = new Thread(call, "tombolo-gate-probe");
    thread.setDaemon(true);
    thread.start();
    return call;
  }

  private static boolean returns(Future<?> call) {
    try {
      Uninterruptibles.getUninterruptibly(call, LIMIT);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      Throwables.throwIfUnchecked(e.getCause());
      throw new IllegalStateException(e); // it declares none
    }
  }
}
