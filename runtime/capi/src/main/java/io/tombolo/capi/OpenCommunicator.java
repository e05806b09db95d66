// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Intercommunicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A communicator as C knows it: with the caller's streams, with memory that C has of it, and with
 * the group that is being put together.
 *
 * <p>Thread-safe as the communicator is: collective calls and groups from one thread at a time.
 */
final class OpenCommunicator implements AutoCloseable {
  private final Communicator communicator;
  private final String vendor;
  private final CloseStack opened;
  private final Streams streams;
  private final BlockingCopies copies;
  private final DeviceChecksums checksums;
  private final Map<Long, DeviceMemory> memories = new ConcurrentHashMap<>();
  private volatile Optional<CallGroupBuilder> group = Optional.empty();
  private volatile long timeoutMs;
  private volatile Known recent;

  private record Known(int flags, long timeoutMs, CallOptions options) {}

  /**
   * {@code communicator} of a rank of {@code vendor}.
   *
   * @param opened what was opened for it, and at last itself
   */
  OpenCommunicator(Communicator communicator, String vendor, CloseStack opened) {
    this.communicator = communicator;
    this.vendor = vendor;
    this.opened = opened;
    this.streams = new Streams(communicator.device());
    StreamPatience patience =
        new StreamPatience("rank " + communicator.rank(), communicator.timeout());
    this.copies = new BlockingCopies(communicator.device(), patience);
    this.checksums = new DeviceChecksums(communicator.device(), patience);
  }

  Communicator communicator() {
    return communicator;
  }

  String vendor() {
    return vendor;
  }

  Streams streams() {
    return streams;
  }

  BlockingCopies copies() {
    return copies;
  }

  DeviceChecksums checksums() {
    return checksums;
  }

  /** How long calls may take from now on that do not say it. */
  void setTimeout(long milliseconds) {
    timeoutMs = requirePositive(milliseconds);
  }

  private static long requirePositive(long milliseconds) {
    if (milliseconds <= 0) {
      throw new UsageException("a timeout is positive: " + milliseconds + " ms");
    }
    return milliseconds;
  }

  /** Makes {@code call}, or puts it into the group; null if there is no work yet. */
  Work call(PlacedCall call, int flags, long ms, long stream) {
    Optional<CallGroupBuilder> open = group;
    if (open.isPresent()) {
      open.get().add(call);
      return null;
    }
    return communicator.call(call, options(flags, ms), stream(flags, stream));
  }

  /** A message of {@code count} elements to or from {@code peer}. */
  Message message(boolean sends, long buffer, long count, DataType type, int peer) {
    DeviceBuffer memory = DeviceBuffer.foreign(communicator.device(), buffer, count, type);
    if (sends) {
      return Message.send(memory, peer);
    }
    return peer == Message.ANY_RANK
        ? Message.receiveFromAny(memory)
        : Message.receive(memory, peer);
  }

  /** {@code other} as C knows it, of the same rank's process. */
  OpenCommunicator beside(Communicator other) {
    return new OpenCommunicator(other, vendor, new CloseStack());
  }

  /** Sends or receives, or puts that into the group; null if there is no work yet. */
  Work message(Message message, int flags, long ms, long stream) {
    Optional<CallGroupBuilder> open = group;
    if (open.isPresent()) {
      open.get().add(message);
      return null;
    }
    return communicator.exchange(List.of(message), options(flags, ms), stream(flags, stream));
  }

  /** Sends or receives over a connection that was made from this; groups take no part. */
  Work exchange(Intercommunicator jobs, Message message, int flags, long ms, long stream) {
    return jobs.exchange(List.of(message), options(flags, ms), stream(flags, stream));
  }

  void startGroup() {
    if (group.isPresent()) {
      throw new UsageException("a group has been started already; end it, or cancel it, first");
    }
    group = Optional.of(new CallGroupBuilder());
  }

  /** Makes the group's calls. */
  Work endGroup(int flags, long ms, long stream) {
    CallGroupBuilder ended =
        group.orElseThrow(() -> new UsageException("no group has been started"));
    group = Optional.empty();
    return ended.make(communicator, options(flags, ms), stream(flags, stream));
  }

  void cancelGroup() {
    group = Optional.empty();
  }

  /** Has the caller's {@code stream} wait for {@code work}; where there are none, the caller. */
  void makeWait(Work work, long stream) {
    if (streams.hasHandles()) {
      work.makeWait(streams.of(stream));
    } else {
      Works.awaitEnd(work);
    }
  }

  private Stream stream(int flags, long handle) {
    return isHostOrdered(flags) ? streams.hostOrdered() : streams.of(handle);
  }

  private boolean isHostOrdered(int flags) {
    return (flags & CallFlags.HOST_ORDER) != 0 || !streams.hasHandles();
  }

  /** As most calls say the same as the one before, this makes no garbage as a rule. */
  private CallOptions options(int flags, long milliseconds) {
    long limit = milliseconds == 0 ? timeoutMs : requirePositive(milliseconds);
    Known known = recent;
    if (known == null || known.flags() != flags || known.timeoutMs() != limit) {
      known = new Known(flags, limit, newOptions(flags, limit));
      recent = known;
    }
    return known.options();
  }

  private CallOptions newOptions(int flags, long limit) {
    boolean streamWaits = (flags & CallFlags.ASYNC) == 0 && !isHostOrdered(flags);
    Optional<Duration> timeout =
        limit == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(limit));
    return new CallOptions(timeout, streamWaits, false, returns(flags));
  }

  private static CallOptions.Returns returns(int flags) {
    if ((flags & CallFlags.BLOCKING) != 0) {
      return CallOptions.Returns.AT_THE_END;
    }
    return (flags & CallFlags.BRIEFLY) != 0
        ? CallOptions.Returns.SOON
        : CallOptions.Returns.AT_ONCE;
  }

  /** Memory that C will give back, or that goes with the communicator. */
  long keep(DeviceMemory memory) {
    memories.put(memory.address(), memory);
    return memory.address();
  }

  void free(long address) {
    DeviceMemory memory = memories.remove(address);
    if (memory == null) {
      throw new UsageException(
          "0x%x is no memory that this communicator has allocated".formatted(address));
    }
    memory.close();
  }

  @Override
  public void close() {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(opened);
      memories.values().forEach(stack::opened);
      stack.opened(streams);
      stack.opened(copies);
      stack.opened(checksums);
      communicator.close(); // before all these; if it fails, they go nevertheless
    }
  }
}
