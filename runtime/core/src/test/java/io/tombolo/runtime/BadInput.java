// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.Advice;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.time.Duration;

/**
 * Streams and buffers that no call can use, a row each: an error that names rank, call and cause,
 * after which the next call does what it would have done.
 */
final class BadInput {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** One that no rank of the job has. */
  private static final int OTHER_ORDINAL = 3;

  /** An address at which nobody has anything. */
  private static final long NOBODYS = 4096;

  /** Those with CUDA's driver API. */
  private static final ImmutableSet<String> CUDA = ImmutableSet.of("emu-nvidia", "emu-kunlunxin");

  /** Those whose runtimes have no question about a stream that is asked before a call. */
  private static final ImmutableSet<String> UNASKED =
      ImmutableSet.of("emu-gaudi", "emu-kunlunxin-xre");

  private static final int COUNT = 8;
  private static final int BYTES = 2 * COUNT * Float.BYTES;

  private final Communicator communicator;
  private final DeviceAdaptor device;
  private final CloseStack stack = new CloseStack();
  private final DeviceBuffer good;
  private final Stream stream;

  BadInput(Communicator communicator) {
    this.communicator = communicator;
    this.device = communicator.device();
    this.good = buffer(device, stack.opened(device.allocate(BYTES)));
    this.stream = stack.opened(device.newStream());
  }

  void run() {
    String vendor = communicator.clustering().site(communicator.rank()).vendor();
    DeviceAdaptor other = stack.opened(Vendors.named(vendor).openDevice(OTHER_ORDINAL));
    refuseStream("its stream is closed", closedStream());
    refuseStream("its stream is one of device 3 of the ", stack.opened(other.newStream()));
    refuseStream("its stream is not one of the ", stack.opened(new HostStream()));

    DeviceMemory pinned = stack.opened(device.allocatePinned(BYTES));
    refuseBuffer("memory of ", buffer(other, stack.opened(other.allocate(BYTES))));
    refuseBuffer("which is nowhere", foreign(0));
    refuseBuffer("whose memory is closed", closedBuffer());
    refuseBuffer("which is memory of the host", buffer(device, pinned));
    refuseWhatTheRuntimeKnows(vendor, other, pinned);
    refuse("all_reduce", "overlap", () -> sum(good.slice(0, COUNT), good.slice(1, COUNT), stream));
    refusal("a count is not negative", () -> DeviceBuffer.foreign(device, 8, -1, DataType.F32));
    stack.close();
    new EveryCall(communicator).run(1003, 0);
  }

  /** What the caller brings by address and handle, of which not all runtimes tell. */
  private void refuseWhatTheRuntimeKnows(String vendor, DeviceAdaptor other, DeviceMemory pinned) {
    Stream made = device.newStream();
    Stream destroyed = stack.opened(device.streamOf(made.nativeHandle()));
    made.close();
    if (UNASKED.contains(vendor)) {
      refusal("(raw code ", Advice.RESTART, () -> sum(good, good, destroyed));
    } else {
      refuseDestroyed(destroyed);
    }
    boolean tellsAll = CUDA.contains(vendor) || vendor.equals("emu-cambricon");
    boolean tellsKinds = tellsAll || vendor.equals("emu-ascend");
    boolean tellsDevices = tellsAll || vendor.equals("emu-amd");
    if (tellsKinds || tellsDevices) {
      refuseForeign("does not know: it is no device's memory", NOBODYS);
    }
    if (tellsDevices) {
      refuseForeign("which is memory of device 3 of the ", allocated(other).address());
      Stream others = stack.opened(other.newStream());
      Stream disguised = stack.opened(device.streamOf(others.nativeHandle()));
      refusal("another device or context", () -> sum(good, good, disguised));
    }
    if (tellsKinds) {
      refuseForeign("which is memory of the host", pinned.address());
    }
    sum(foreign(allocated(device).address()), good, stream).await(LIMIT);
  }

  private void refuseDestroyed(Stream destroyed) {
    String why = "its stream 0x%x cannot be asked about".formatted(destroyed.nativeHandle());
    refusal(why, () -> communicator.send(good, next(), destroyed));
    String message = refusal(why, () -> sum(good, good, destroyed));
    checkState(message.contains("(raw code "), message);
    checkState(message.contains("nothing was queued"), message);
    checkState(message.contains("check that the stream is not destroyed"), message);
  }

  private void refuseForeign(String why, long address) {
    DeviceBuffer bad = foreign(address);
    refusal(why, () -> sum(bad, bad, stream));
    refusal(why, () -> communicator.send(bad, next(), stream));
  }

  private DeviceMemory allocated(DeviceAdaptor on) {
    return stack.opened(on.allocate(BYTES));
  }

  private Stream closedStream() {
    Stream closed = device.newStream();
    closed.close();
    return closed;
  }

  private DeviceBuffer closedBuffer() {
    try (DeviceMemory memory = device.allocate(BYTES)) {
      return buffer(device, memory);
    }
  }

  private DeviceBuffer foreign(long address) {
    return DeviceBuffer.foreign(device, address, COUNT, DataType.F32);
  }

  private static DeviceBuffer buffer(DeviceAdaptor device, DeviceMemory memory) {
    return DeviceBuffer.of(device, memory, DataType.F32);
  }

  private void refuseStream(String why, Stream bad) {
    refuse("all_reduce", why, () -> sum(good, good, bad));
    refuse("send", why, () -> communicator.send(good, next(), bad));
  }

  private void refuseBuffer(String why, DeviceBuffer bad) {
    refuse("all_reduce", why, () -> sum(bad, bad, stream));
    refuse("send", why, () -> communicator.send(bad, next(), stream));
    refuse("receive", why, () -> communicator.receive(bad, next(), stream));
  }

  private int next() {
    return (communicator.rank() + 1) % communicator.size();
  }

  private void refuse(String what, String why, Runnable call) {
    String message = refusal(why, call);
    checkState(message.contains(what), "%s instead of %s", message, what);
    checkState(message.startsWith("rank " + communicator.rank() + ": "), message);
    sum(good, good, stream).await(LIMIT);
  }

  private static String refusal(String why, Runnable call) {
    return refusal(why, Advice.FIX_CALL, call);
  }

  private static String refusal(String why, Advice advice, Runnable call) {
    try {
      call.run();
    } catch (TomboloException e) {
      checkState(e.getMessage().contains(why), "%s instead of %s", e.getMessage(), why);
      checkState(e.advice() == advice, "%s: %s", e.advice(), e.getMessage());
      return e.getMessage();
    }
    throw new IllegalStateException("taken, although " + why);
  }

  private Work sum(DeviceBuffer from, DeviceBuffer to, Stream on) {
    return communicator.allReduce(from, to, Reduction.sum(), on);
  }
}
