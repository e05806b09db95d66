// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.Arrays;
import java.util.function.LongFunction;

/** Send and receive blocks on the device, and pinned memory to fill and read them through. */
final class CclBuffers implements AutoCloseable {
  private final DeviceAdaptor device;
  private final int rank;
  private final int size;
  private final DeviceMemory staging;
  private final DeviceMemory send;
  private final DeviceMemory receive;
  private final Stream stream;

  /** Blocks of {@code sizeBytes} for member {@code rank} of {@code size}. */
  CclBuffers(DeviceAdaptor device, int sizeBytes, int rank, int size) {
    this(device, device::allocate, sizeBytes, rank, size);
  }

  private CclBuffers(
      DeviceAdaptor device,
      LongFunction<DeviceMemory> allocate,
      int sizeBytes,
      int rank,
      int size) {
    this.device = device;
    this.rank = rank;
    this.size = size;
    this.staging = device.allocatePinned(sizeBytes);
    this.send = allocate.apply(sizeBytes);
    this.receive = allocate.apply(sizeBytes);
    this.stream = device.newStream();
  }

  /**
   * Likewise, registered with {@code communicator} by all members; this one may not {@code use} it.
   */
  static CclBuffers registered(
      DeviceAdaptor device,
      CclAdaptor ccl,
      CclCommunicator communicator,
      boolean use,
      int sizeBytes,
      int rank,
      int size) {
    LongFunction<DeviceMemory> allocate =
        bytes -> {
          DeviceMemory memory = ccl.allocate(bytes);
          communicator.register(memory);
          return use ? memory : device.allocate(bytes);
        };
    return new CclBuffers(device, allocate, sizeBytes, rank, size);
  }

  Stream stream() {
    return stream;
  }

  void startAllReduce(CclCommunicator communicator) {
    communicator.allReduce(
        send.address(), receive.address(), 1, DataType.F32, ReduceOp.SUM, stream);
  }

  /** Sends {@code count} bytes to the next member, then receives one from the one before. */
  void startExchange(CclCommunicator communicator, int count) {
    communicator.send(send.address(), count, DataType.U8, (rank + 1) % size, stream);
    communicator.receive(receive.address(), 1, DataType.U8, (rank + size - 1) % size, stream);
  }

  /**
   * Everything on the one stream: copy in, the call, copy out. Whether the result is right, and the
   * input as it was where it is not the output.
   */
  boolean isRight(CclCommunicator communicator, CclCase one) {
    byte[] input = one.input(rank, size);
    boolean gathers = one.receiveCount(size) > one.sendCount(size);
    long base = one.inPlace() ? receive.address() : send.address();
    long from = one.inPlace() && gathers ? base + one.shardOffset(rank, size) : base;
    long to = !one.inPlace() || gathers ? receive.address() : base + one.shardOffset(rank, size);
    byte[] poison = new byte[one.receiveCount(size) * one.type().sizeBytes()];
    Arrays.fill(poison, CclCase.POISON);
    if (!one.inPlace()) {
      copyIn(poison, to);
    }
    copyIn(input, from);
    call(communicator, one, from, to);
    byte[] result = copyOut(to, poison.length);
    return (!one.hasResult(rank) || Arrays.equals(result, one.expected(rank, size)))
        && (one.inPlace() || Arrays.equals(copyOut(from, input.length), input));
  }

  private void copyIn(byte[] bytes, long to) {
    if (bytes.length > 0) {
      TestDevices.finish(stream); // the staging memory is free again
      TestDevices.write(staging.address(), bytes);
      device.copyAsync(CopyDirection.HOST_TO_DEVICE, to, staging.address(), bytes.length, stream);
    }
  }

  private byte[] copyOut(long from, int length) {
    if (length > 0) {
      device.copyAsync(CopyDirection.DEVICE_TO_HOST, staging.address(), from, length, stream);
    }
    TestDevices.finish(stream);
    return length == 0 ? new byte[0] : TestDevices.read(staging.address(), length);
  }

  void call(CclCommunicator communicator, CclCase one, long from, long to) {
    int count = one.count();
    DataType type = one.type();
    switch (one.primitive()) {
      case ALL_REDUCE -> communicator.allReduce(from, to, count, type, one.op(), stream);
      case REDUCE -> communicator.reduce(from, to, count, type, one.op(), one.root(), stream);
      case BROADCAST -> communicator.broadcast(from, to, count, type, one.root(), stream);
      case REDUCE_SCATTER -> communicator.reduceScatter(from, to, count, type, one.op(), stream);
      case ALL_GATHER -> communicator.allGather(from, to, count, type, stream);
      case ALL_TO_ALL -> communicator.allToAll(from, to, count, type, stream);
      case GATHER -> communicator.gather(from, to, count, type, one.root(), stream);
      case SCATTER -> communicator.scatter(from, to, count, type, one.root(), stream);
      case SEND -> passOn(communicator, one, from, to);
      case RECEIVE -> exchangeAll(communicator, one, from, to);
    }
  }

  private void passOn(CclCommunicator communicator, CclCase one, long from, long to) {
    inGroup(
        communicator,
        () -> {
          communicator.send(from, one.count(), one.type(), (rank + 1) % size, stream);
          communicator.receive(to, one.count(), one.type(), (rank + size - 1) % size, stream);
        });
  }

  private void exchangeAll(CclCommunicator communicator, CclCase one, long from, long to) {
    inGroup(
        communicator,
        () -> {
          for (int peer = 0; peer < size; peer++) {
            communicator.receive(
                to + one.blockOffset(peer), one.pairCount(peer, rank), one.type(), peer, stream);
            communicator.send(
                from + one.blockOffset(peer), one.pairCount(rank, peer), one.type(), peer, stream);
          }
        });
  }

  private static void inGroup(CclCommunicator communicator, Runnable calls) {
    communicator.groupStart();
    try {
      calls.run();
    } finally {
      communicator.groupEnd();
    }
  }

  @Override
  public void close() {
    stream.close();
    receive.close();
    send.close();
    staging.close();
  }
}
