// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.plan.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * A producer, all_reduces and consumers on streams of the caller, who waits for nothing: what runs
 * out of order reads what was there before. The devices are slow, so that it would.
 */
final class StreamOrder {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int ROUNDS = 4;
  private static final int COUNT = 5003;
  private static final int BYTES = COUNT * Float.BYTES;

  private final Communicator communicator;
  private final DeviceAdaptor device;

  StreamOrder(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
  }

  void run() {
    for (int round = 0; round < ROUNDS; round++) {
      run(round);
    }
    checkThatTheRoutesSaySo();
  }

  private void checkThatTheRoutesSaySo() {
    try (Stream stream = device.newStream()) {
      if (communicator.isHostOrdered(stream)
          && (communicator.hostOrder().isEmpty()
              || !communicator.routes().values().stream()
                  .allMatch(route -> route.contains("; calls in the host's order: ")))) {
        throw new IllegalStateException("routes that do not tell: " + communicator.routes());
      }
    }
  }

  private void run(int round) {
    try (DeviceMemory given = device.allocatePinned(BYTES);
        DeviceMemory got = device.allocatePinned(2L * BYTES);
        DeviceMemory input = device.allocate(BYTES);
        DeviceMemory output = device.allocate(BYTES);
        Stream stream = device.newStream();
        Stream other = device.newStream();
        Event produced = device.newAwaitedEvent()) {
      set(given, communicator.rank() + round + 1);
      device.fillAsync(input.address(), (byte) 0, BYTES, stream);
      copy(CopyDirection.HOST_TO_DEVICE, input.address(), given.address(), stream);
      sum(input, output, stream);
      copy(CopyDirection.DEVICE_TO_HOST, got.address(), output.address(), stream);
      copy(CopyDirection.DEVICE_TO_DEVICE, input.address(), output.address(), stream);
      produced.record(stream);
      other.waitFor(produced);
      sum(input, output, other);
      copy(CopyDirection.DEVICE_TO_HOST, got.address(BYTES, BYTES), output.address(), other);
      IdleStream.await(other, LIMIT);
      float first = sumOfRanks(round);
      check(got, 0, first);
      check(got, COUNT, first * communicator.size());
    }
  }

  private void sum(DeviceMemory from, DeviceMemory to, Stream stream) {
    communicator.allReduce(buffer(from), buffer(to), Reduction.sum(), stream);
  }

  private DeviceBuffer buffer(DeviceMemory memory) {
    return DeviceBuffer.of(device, memory, DataType.F32);
  }

  private void copy(CopyDirection direction, long to, long from, Stream stream) {
    device.copyAsync(direction, to, from, BYTES, stream);
  }

  private float sumOfRanks(int round) {
    float sum = 0;
    for (int rank = 0; rank < communicator.size(); rank++) {
      sum += rank + round + 1;
    }
    return sum;
  }

  private static ByteBuffer view(DeviceMemory pinned) {
    return NativeMemory.viewOf(pinned.address(), (int) pinned.sizeBytes())
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void set(DeviceMemory pinned, float value) {
    ByteBuffer bytes = view(pinned);
    for (int i = 0; i < COUNT; i++) {
      bytes.putFloat(i * Float.BYTES, value);
    }
  }

  private void check(DeviceMemory pinned, int from, float expected) {
    ByteBuffer bytes = view(pinned);
    for (int i = from; i < from + COUNT; i++) {
      float found = bytes.getFloat(i * Float.BYTES);
      if (found != expected) {
        throw new AssertionError(
            "rank %d: element %d is %s, not %s".formatted(communicator.rank(), i, found, expected));
      }
    }
  }
}
