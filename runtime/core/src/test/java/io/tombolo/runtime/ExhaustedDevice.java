// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Calls for which one rank has no memory left, while the others make them. It is told so, and makes
 * them again when it has some: then they do what they would have done.
 */
final class ExhaustedDevice {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** More than any call before has had memory for. */
  private static final int COUNT = 1 << 20;

  private static final long LARGE_BYTES = 1 << 20;
  private static final long SMALL_BYTES = 4 << 10;

  private final Communicator communicator;
  private final DeviceAdaptor device;
  private final int other;

  ExhaustedDevice(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
    this.other = 1 - communicator.rank();
  }

  void run(boolean exhausted) {
    try (DeviceMemory memory = device.allocate((long) COUNT * Float.BYTES);
        Stream stream = device.newStream()) {
      DeviceBuffer buffer = DeviceBuffer.of(device, memory, DataType.F32);
      call(exhausted, () -> communicator.allReduce(buffer, buffer, Reduction.sum(), stream));
      call(
          exhausted,
          () ->
              exhausted
                  ? communicator.send(buffer, other, stream)
                  : communicator.receive(buffer, other, stream));
    }
    split(exhausted);
    new EveryCall(communicator).run(1003, 0);
  }

  /** As {@link #run}, where it is the device's own memory that is used up, by a cluster of two. */
  void runWithoutScratch(boolean exhausted) {
    try (DeviceMemory memory = device.allocate((long) COUNT * Float.BYTES);
        Stream stream = device.newStream()) {
      DeviceBuffer buffer = DeviceBuffer.of(device, memory, DataType.F32);
      int last = communicator.size() - 1; // of another cluster than the exhausted one
      Supplier<Work> sum = () -> communicator.reduce(buffer, buffer, Reduction.sum(), last, stream);
      if (exhausted) {
        without(device::allocate, () -> refuse(sum));
      }
      sum.get().await(LIMIT);
    }
    new EveryCall(communicator).run(1003, 0);
  }

  private void call(boolean exhausted, Supplier<Work> call) {
    if (exhausted) {
      without(device::allocatePinned, () -> refuse(call));
    }
    call.get().await(LIMIT);
  }

  /** It fails on both ranks, which make it again. */
  private void split(boolean exhausted) {
    if (exhausted) {
      without(device::allocatePinned, this::refuseSplit);
    } else {
      refuseSplit();
    }
    communicator.split(0, 0).orElseThrow().close();
  }

  private void refuseSplit() {
    try {
      communicator.split(0, 0).orElseThrow().close();
      throw new IllegalStateException("there was memory for a communicator");
    } catch (TomboloException e) {
      checkState(e.getMessage().contains("free some, or ask for less"), e.getMessage());
    }
  }

  private static void without(LongFunction<DeviceMemory> memory, Runnable task) {
    List<DeviceMemory> all = new ArrayList<>();
    take(LARGE_BYTES, memory, all);
    take(SMALL_BYTES, memory, all);
    try {
      task.run();
    } finally {
      all.forEach(DeviceMemory::close);
    }
  }

  private static void take(
      long sizeBytes, LongFunction<DeviceMemory> memory, List<DeviceMemory> taken) {
    try {
      while (true) {
        taken.add(memory.apply(sizeBytes));
      }
    } catch (ResourceException e) {
      checkState(!taken.isEmpty(), e.getMessage());
    }
  }

  private void refuse(Supplier<Work> call) {
    try {
      Work made = call.get();
      throw new IllegalStateException("there was memory for #" + made.sequence());
    } catch (TomboloException e) {
      String message = e.getMessage();
      checkState(message.startsWith("rank " + communicator.rank() + ": "), message);
      checkState(
          message.contains("has no memory to work in beside " + device.properties().name() + " ("),
          message);
    }
  }
}
