// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.Collections;
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

  /**
   * Runtimes may stage what is small, and wait for the rest: a word, and a large part of a slot.
   */
  private static final ImmutableList<Integer> COPIES = ImmutableList.of(Long.BYTES, 1 << 20);

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
    FutureTask<?> calls =
        new FutureTask<>(
            () -> {
              DeviceLibrary.tryGate(handle);
              copies.run();
            },
            null);
    Thread trying = new Thread(calls, "tombolo-gate-probe");
    trying.setDaemon(true);
    try {
      DeviceLibrary.tryGate(handle); // a first use may wait, whatever later ones do
      copies.run();
      return objection(calls, trying, held);
    } finally {
      if (!areOver(trying, held, other)) {
        stack.keep(); // what is under way, or stuck, may be using it
      }
    }
  }

  /** {@code trying} makes {@code calls} while a function on the host holds {@code held}. */
  private Optional<String> objection(Future<?> calls, Thread trying, Stream held) {
    Hold hold = new Hold();
    held.launchHostFunction(hold::run);
    try {
      boolean begins = hold.begins();
      if (begins) {
        trying.start();
      }
      boolean passes = begins && returns(calls);
      if (!begins || hold.hasExpired()) {
        return Optional.of("whether " + what() + " waits for other streams was not seen in time");
      }
      return passes ? Optional.empty() : Optional.of(what() + " waits for other streams");
    } finally {
      hold.end();
    }
  }

  private String what() {
    return registers ? "opening a gate" : "opening a gate, or a copy of pageable memory,";
  }

  private Runnable copies(Stream on, CloseStack stack) {
    long block = stack.opened(device.allocate(Collections.max(COPIES))).address();
    long host = stack.opened(NativeMemory.allocate(Collections.max(COPIES))).address();
    return () -> {
      for (int size : COPIES) {
        device.copyAsync(CopyDirection.HOST_TO_DEVICE, block, host, size, on);
        device.copyAsync(CopyDirection.DEVICE_TO_HOST, host, block, size, on);
      }
    };
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

  private static boolean areOver(Thread trying, Stream held, Stream other) {
    try {
      return WordProbe.within(LIMIT, () -> !trying.isAlive() && held.isIdle() && other.isIdle());
    } catch (VendorException e) {
      return false; // nobody knows
    }
  }

  /** Holds a stream until it ends, or for so long that nobody waits for it any more. */
  private static final class Hold {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean hasExpired;

    /** On the stream. */
    void run() {
      begun.countDown();
      hasExpired = !Uninterruptibles.awaitUninterruptibly(ended, LIMIT.multipliedBy(2));
    }

    boolean begins() {
      return Uninterruptibles.awaitUninterruptibly(begun, LIMIT);
    }

    /** What has returned by now may have waited for it. */
    boolean hasExpired() {
      return hasExpired;
    }

    void end() {
      ended.countDown();
    }
  }
}
