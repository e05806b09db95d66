// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Futures;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Calls beside captures: on a stream that is captured they are refused, and then as good as never
 * made; on others they do what they do, and no capture is the worse for it.
 */
final class CapturedCalls {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int LARGE = 1 << 18;

  /** Those with a legacy default stream and captures. */
  private static final ImmutableSet<String> LEGACY = ImmutableSet.of("emu-nvidia", "emu-amd");

  private final Communicator communicator;
  private final DeviceAdaptor device;

  CapturedCalls(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
  }

  void run() {
    String vendor = communicator.clustering().site(communicator.rank()).vendor();
    try (Captures captures = Captures.of(vendor);
        Stream captured = device.newStream();
        Stream joined = device.newStream();
        Event fork = device.newAwaitedEvent();
        Stream other = device.newStream();
        DeviceMemory memory = device.allocate((long) LARGE * Float.BYTES)) {
      int count = LARGE / 16;
      for (Captures.Mode mode : captures.modes()) {
        captures.begin(captured, mode);
        fork.record(captured);
        joined.waitFor(fork); // and so is in the capture, too
        refuseAll(captured, memory, other);
        refuseAll(joined, memory, other);
        sum(memory, count, other).await(LIMIT); // needs more memory than any before
        count *= 4;
        captures.end(captured);
        sum(memory, 1, captured).await(LIMIT);
        sum(memory, 1, joined).await(LIMIT);
      }
      if (LEGACY.contains(vendor)) {
        callOnTheLegacyStream(captures, memory);
      }
    }
    new EveryCall(communicator).run(1003, 0);
  }

  private void callOnTheLegacyStream(Captures captures, DeviceMemory memory) {
    try (Stream legacy = device.streamOf(0)) {
      if (captures.areOn(device)) {
        refuseBesideACapture(captures, memory, legacy);
      }
      sum(memory, 1, legacy).await(LIMIT);
    }
  }

  /** Another thread captures what the legacy stream would have to wait for. */
  private void refuseBesideACapture(Captures captures, DeviceMemory memory, Stream legacy) {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Stream blocking = captures.newBlockingStream()) {
      Futures.getUnchecked(other.submit(() -> captures.begin(blocking, Captures.Mode.GLOBAL)));
      String refused =
          expectThrows(UsageException.class, () -> sum(memory, 1, legacy)).getMessage();
      checkState(refused.contains("that no capture is under way"), refused);
      Futures.getUnchecked(other.submit(() -> captures.end(blocking)));
    } finally {
      other.shutdown();
    }
  }

  private void refuseAll(Stream captured, DeviceMemory memory, Stream other) {
    int next = (communicator.rank() + 1) % communicator.size();
    DeviceBuffer buffer = buffer(memory, 1);
    refuse("all_reduce", captured, () -> sum(memory, 1, captured));
    refuse("send", captured, () -> communicator.send(buffer, next, captured));
    refuse(
        "group",
        captured,
        () ->
            communicator.group(
                List.of(
                    communicator.calls().allReduce(buffer, buffer, Reduction.sum()),
                    communicator.calls().allReduce(buffer, buffer, Reduction.max())),
                CallOptions.BLOCKING,
                captured));
    refuse("held", captured, () -> communicator.isHostOrdered(captured));
    checkState(captured.isCapturing() && !other.isCapturing());
  }

  private void refuse(String what, Stream captured, Runnable call) {
    long before = communicator.activity().operations();
    try {
      call.run();
    } catch (UsageException e) {
      checkState(e.getMessage().startsWith("rank " + communicator.rank() + ": "), e.getMessage());
      checkState(e.getMessage().contains(what), e.getMessage());
      checkState(
          e.getMessage().contains("stream 0x%x is being".formatted(captured.nativeHandle())),
          e.getMessage());
      checkState(communicator.activity().operations() == before, "counted: %s", what);
      return;
    }
    throw new IllegalStateException(what + " was taken on a stream that is captured");
  }

  private Work sum(DeviceMemory memory, int count, Stream stream) {
    return communicator.allReduce(buffer(memory, count), Reduction.sum(), stream);
  }

  private DeviceBuffer buffer(DeviceMemory memory, int count) {
    return DeviceBuffer.of(device, memory, DataType.F32).slice(0, count);
  }
}
