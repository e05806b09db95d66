// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.exec.engine.VendorAbort;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Makes each call that a library declares once, on a few bytes, right after joining. Libraries
 * connect their members in the first call of a kind (NCCL user guide, {@code
 * NCCL_RUNTIME_CONNECT}), which blocks until all have made theirs: the agent must not be in it, nor
 * must a stream be held. NCCL may take another algorithm for more bytes, and connect that then: so
 * it is told to connect its algorithms while joining, and what is left are sends and receives.
 * Where calls block anyway, on threads of their own, nothing is called.
 */
final class FirstCalls {
  private static final int MAX_ELEMENT_BYTES = 8;
  private static final long PAUSE_NS = 20_000;

  private final DeviceAdaptor device;
  private final CclCommunicator communicator;
  private final Capabilities declared;
  private final int position;
  private final int size;

  /** What has been called of the library, to be told to whoever waits. */
  private volatile ImmutableList<String> called = ImmutableList.of();

  /**
   * Of {@code communicator}, in which this is member {@code position} of {@code size}; all members
   * know the same to be {@code declared}.
   */
  FirstCalls(
      DeviceAdaptor device,
      CclCommunicator communicator,
      Capabilities declared,
      int position,
      int size) {
    this.device = device;
    this.communicator = communicator;
    this.declared = declared;
    this.position = position;
    this.size = size;
  }

  /**
   * Makes the calls, and waits until the device has carried them out. When they cannot be made, the
   * communicator is aborted where the library can: its kernels wait for members that will not come,
   * and to free memory before may wait for those. Where nothing ends its kernels, the device is
   * tainted, and keeps what they may use.
   *
   * @param rank this member, in the job
   * @param deadline when to give up waiting for the device, where the library cannot abort; else
   *     whoever gives up aborts, and that ends the wait
   * @throws DeadlineExceededException if that comes first
   */
  void run(int rank, Deadline deadline) {
    if (declared.has(Capabilities.Flag.BLOCKING_CALLS)) {
      return;
    }
    try (CloseStack stack = new CloseStack()) {
      try {
        await(callAll(stack), rank, deadline);
      } catch (RuntimeException e) {
        giveUp(e);
        throw e;
      }
    }
  }

  /** The names of those that have been called, the last of which may not have returned. */
  ImmutableList<String> called() {
    return called;
  }

  /** The stream on which it calls them. */
  private Stream callAll(CloseStack stack) {
    long sizeBytes = (long) size * MAX_ELEMENT_BYTES;
    long send = stack.opened(device.allocate(sizeBytes)).address();
    long receive = stack.opened(device.allocate(sizeBytes)).address();
    Stream stream = newStream(stack);
    device.fillAsync(send, (byte) 0, sizeBytes, stream);
    for (Primitive primitive : Primitive.values()) {
      type(primitive).ifPresent(type -> call(primitive, send, receive, type, stream));
    }
    return stream;
  }

  private void await(Stream stream, int rank, Deadline deadline) {
    boolean canAbort = declared.has(Capabilities.Flag.ABORT);
    while (!stream.isIdle()) {
      if (!canAbort && deadline.isExpired()) {
        throw new DeadlineExceededException(
            ("rank %s: the device has not carried out the first calls of its library (%s) after %s"
                    + " ms, and the library cannot abort them; look at the output of the other"
                    + " ranks, which may not have made them, or raise TOMBOLO_JOIN_TIMEOUT_MS if"
                    + " they are slow")
                .formatted(rank, String.join(", ", called), deadline.elapsedNs() / 1_000_000));
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  /** To end it may wait for what is on it, as to free memory may: a taint keeps it, too. */
  private Stream newStream(CloseStack stack) {
    BooleanSupplier isLeftBehind = device.leavesBehind();
    Stream stream = device.newStream();
    stack.opened(
        () -> {
          if (!isLeftBehind.getAsBoolean()) {
            stream.close();
          }
        });
    return stream;
  }

  private void giveUp(RuntimeException cause) {
    if (declared.has(Capabilities.Flag.ABORT)) {
      try {
        VendorAbort.of(communicator, device);
      } catch (RuntimeException e) {
        cause.addSuppressed(e);
      }
    } else if (!called.isEmpty()) {
      device.taint();
    }
  }

  private Optional<DataType> type(Primitive primitive) {
    return Arrays.stream(DataType.values())
        .filter(type -> type.sizeBytes() <= MAX_ELEMENT_BYTES)
        .filter(
            type ->
                primitive.isReducing()
                    ? declared.supports(primitive, type, ReduceOp.SUM)
                    : declared.supports(primitive, type))
        .findFirst();
  }

  private void call(Primitive primitive, long send, long receive, DataType type, Stream stream) {
    if (!isCalled(primitive)) {
      return;
    }
    called = ImmutableList.<String>builder().addAll(called).add(primitive.text()).build();
    switch (primitive) {
      case ALL_REDUCE -> communicator.allReduce(send, receive, 1, type, ReduceOp.SUM, stream);
      case REDUCE -> communicator.reduce(send, receive, 1, type, ReduceOp.SUM, 0, stream);
      case BROADCAST -> communicator.broadcast(send, receive, 1, type, 0, stream);
      case ALL_GATHER -> communicator.allGather(send, receive, 1, type, stream);
      case REDUCE_SCATTER ->
          communicator.reduceScatter(send, receive, 1, type, ReduceOp.SUM, stream);
      case ALL_TO_ALL -> communicator.allToAll(send, receive, 1, type, stream);
      case GATHER -> communicator.gather(send, receive, 1, type, 0, stream);
      case SCATTER -> communicator.scatter(send, receive, 1, type, 0, stream);
      case SEND -> exchange(send, receive, type, stream);
      case RECEIVE -> {} // with the sends
    }
  }

  /** Receives are made with the sends, and those in a group or not at all. */
  private boolean isCalled(Primitive primitive) {
    return primitive != Primitive.RECEIVE
        && (primitive != Primitive.SEND || declared.has(Capabilities.Flag.GROUP));
  }

  private void exchange(long send, long receive, DataType type, Stream stream) {
    communicator.groupStart();
    DoAll.of(() -> exchangeAll(send, receive, type, stream), communicator::groupEnd);
  }

  private void exchangeAll(long send, long receive, DataType type, Stream stream) {
    for (int peer : FirstPeers.of(position, size)) {
      communicator.send(send, 1, type, peer, stream);
      communicator.receive(receive + (long) peer * MAX_ELEMENT_BYTES, 1, type, peer, stream);
    }
  }
}
