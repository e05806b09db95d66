// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.ReduceOp;
import java.nio.ByteBuffer;

/**
 * A producer, two collectives on two streams, and a consumer, all queued at once behind a gate: the
 * host waits only for the end. What runs out of order reads zeros, or what came later.
 */
final class CclChain implements AutoCloseable {
  private static final int COUNT = 10_007;
  private static final int BYTES = COUNT * Float.BYTES;

  private final DeviceAdaptor device;
  private final Hold hold;
  private final int rank;
  private final int size;
  private final LongCell gate;
  private final DeviceMemory input;
  private final DeviceMemory output;
  private final DeviceMemory first;
  private final DeviceMemory second;
  private final DeviceMemory third;
  private final Stream producing;
  private final Stream consuming;
  private final Event between;

  CclChain(String vendor, DeviceAdaptor device, int rank, int size) {
    this.device = device;
    this.hold = Hold.of(vendor, device);
    this.rank = rank;
    this.size = size;
    this.gate = hold.word();
    this.input = device.allocatePinned(BYTES);
    this.output = device.allocatePinned(BYTES);
    this.first = device.allocate(BYTES);
    this.second = device.allocate(BYTES);
    this.third = device.allocate(BYTES);
    this.producing = device.newStream();
    this.consuming = device.newStream();
    this.between = device.newAwaitedEvent();
    fill(); // where the runtime fills nothing, the first fill allocates: not while a stream is held
    TestDevices.finish(producing);
  }

  /** Queues everything; nothing of it may run before {@link #open}. */
  void queue(CclCommunicator communicator) {
    gate.setRelease(0);
    TestDevices.write(input.address(), new byte[BYTES]);
    TestDevices.write(output.address(), new byte[BYTES]);
    hold.at(producing, gate.address(), 1);
    copy(CopyDirection.HOST_TO_DEVICE, first.address(), input.address(), producing);
    allReduce(communicator, first, second, producing);
    copy(CopyDirection.DEVICE_TO_DEVICE, first.address(), second.address(), producing);
    fill();
    between.record(producing);
    consuming.waitFor(between);
    allReduce(communicator, first, third, consuming);
    copy(CopyDirection.DEVICE_TO_HOST, output.address(), third.address(), consuming);
  }

  private void fill() {
    device.fillAsync(second.address(), (byte) 0x7f, BYTES, producing);
  }

  private void copy(CopyDirection direction, long to, long from, Stream stream) {
    device.copyAsync(direction, to, from, BYTES, stream);
  }

  private static void allReduce(
      CclCommunicator communicator, DeviceMemory from, DeviceMemory to, Stream stream) {
    communicator.allReduce(from.address(), to.address(), COUNT, DataType.F32, ReduceOp.SUM, stream);
  }

  /** Whether anything of it has run. */
  boolean hasBegun() {
    return producing.isIdle() || consuming.isIdle() || between.isDone() || value(0) != 0;
  }

  /** Makes the input what it shall be, and lets the producer go. */
  void open() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(LITTLE_ENDIAN);
    for (int i = 0; i < COUNT; i++) {
      bytes.putFloat(i * Float.BYTES, input(rank, i));
    }
    TestDevices.write(input.address(), bytes.array());
    gate.setRelease(1);
  }

  /** Waits for the end; how many elements are wrong then. */
  int wrong() {
    TestDevices.finish(producing);
    TestDevices.finish(consuming);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
      wrong += value(i) == expected(i) ? 0 : 1;
    }
    return wrong;
  }

  private float value(int i) {
    byte[] bytes = TestDevices.read(output.address() + (long) i * Float.BYTES, Float.BYTES);
    return ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).getFloat();
  }

  private static float input(int member, int i) {
    return member + 1 + i % 7;
  }

  /** The sum over the members, which the second collective adds up once more. */
  private float expected(int i) {
    float sum = 0;
    for (int member = 0; member < size; member++) {
      sum += input(member, i);
    }
    return size * sum;
  }

  @Override
  public void close() {
    between.close();
    consuming.close();
    producing.close();
    third.close();
    second.close();
    first.close();
    output.close();
    input.close();
    hold.close();
  }
}
