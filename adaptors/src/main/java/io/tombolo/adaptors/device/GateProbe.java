// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/**
 * Tries whether calls return while a stream is held, where no document says so: the one that opens
 * a gate, and, where the runtime registers no memory, copies of pageable memory. The shim's watcher
 * and the agent make them for streams that wait: if they waited for one of those, both would wait
 * for ever.
 *
 * <p>A function on the host holds the stream here, as it ends whatever comes of it; a gate that
 * cannot be opened would hold it for good. Vendors may run the functions of all streams one after
 * the other, so it takes no longer than the calls do. That what waits for a stream waits for both
 * alike, is taken for granted.
 */
final class GateProbe {
  /** For what takes microseconds, unless it waits for a stream. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final RuntimeDevice device;
  private final long handle;
  private final boolean registers;

  /** Of {@code device}, behind {@code handle}, whose runtime {@code registers} memory or not. */
  GateProbe(RuntimeDevice device, long handle, boolean registers) {
    this.device = device;
    this.handle = handle;
    this.registers = registers;
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
    Stream other = stack.opened(device.newStream());
    Runnable copies = registers ? () -> {} : copies(other, stack);
    Runnable calls =
        () -> {
          DeviceLibrary.tryGate(handle);
          copies.run();
        };
    boolean isOver = false;
    try {
      calls.run(); // a first use may wait, whatever later ones do
      FutureTask<?> again = new FutureTask<>(calls, null);
      boolean passes = passes(again, held);
      isOver = returns(again) && WordProbe.within(LIMIT, () -> held.isIdle() && other.isIdle());
      return passes ? Optional.empty() : Optional.of(waits());
    } finally {
      if (!isOver) {
        stack.keep(); // what is under way, or stuck, may be using it
      }
    }
  }

  private String waits() {
    return registers
        ? "opening a gate waits for other streams"
        : "opening a gate, or a copy of pageable memory, waits for other streams";
  }

  /** Whether {@code calls} return while a function on the host holds {@code held}. */
  private static boolean passes(FutureTask<?> calls, Stream held) {
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    held.launchHostFunction(() -> hold(holds, letGo));
    try {
      boolean begins = Uninterruptibles.awaitUninterruptibly(holds, LIMIT);
      start(calls);
      return begins && returns(calls);
    } finally {
      letGo.countDown();
    }
  }

  private Runnable copies(Stream on, CloseStack stack) {
    long block = stack.opened(device.allocate(Long.BYTES)).address();
    long host = stack.opened(NativeMemory.allocate(Long.BYTES)).address();
    return () -> {
      device.copyAsync(CopyDirection.HOST_TO_DEVICE, block, host, Long.BYTES, on);
      device.copyAsync(CopyDirection.DEVICE_TO_HOST, host, block, Long.BYTES, on);
    };
  }

  private static void hold(CountDownLatch holds, CountDownLatch letGo) {
    holds.countDown();
    boolean unused = Uninterruptibles.awaitUninterruptibly(letGo, LIMIT.multipliedBy(2)); // or late
  }

  private static void start(Runnable calls) {
    Thread thread = new Thread(calls, "tombolo-gate-probe");
    thread.setDaemon(true);
    thread.start();
  }

  private static boolean returns(Future<?> calls) {
    try {
      Uninterruptibles.getUninterruptibly(calls, LIMIT);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      Throwables.throwIfUnchecked(e.getCause());
      throw new IllegalStateException(e); // it declares none
    }
  }
}
