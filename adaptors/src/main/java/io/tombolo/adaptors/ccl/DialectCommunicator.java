// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongToIntFunction;

/**
 * One member's end of a vendor communicator.
 *
 * <p>Where calls block they are queued on the host stream, and a failure shows on the stream.
 * {@link #close} then never waits for a call that is stuck: a library that cannot abort keeps its
 * communicator, and the process must be left. Elsewhere closing may wait for outstanding work, as
 * the library does; {@link #abort} it first if it is stuck.
 */
final class DialectCommunicator implements CclCommunicator {
  private final CclDialect dialect;
  private final CclLibrary library;
  private final OnDevice device;
  private final long handle;
  private final int rank;
  private final int size;
  private final Launch launch;
  private final boolean offers;
  private final AtomicBoolean ended = new AtomicBoolean();

  /** The entry point that a call is in; for who wonders why it does not come back. */
  private final AtomicReference<Entry> inside = new AtomicReference<>();

  DialectCommunicator(
      CclDialect dialect, CclLibrary library, OnDevice device, long handle, int rank, int size) {
    this.dialect = dialect;
    this.library = library;
    this.device = device;
    this.handle = handle;
    this.rank = rank;
    this.size = size;
    this.offers = Entry.OFFER.symbol(dialect).isPresent();
    this.launch =
        library.capabilities().has(Flag.BLOCKING_CALLS)
            ? new Launch.Blocking()
            : new Launch.Queued();
  }

  @Override
  public void allReduce(
      long send, long receive, long count, DataType type, ReduceOp op, Stream stream) {
    require(Primitive.ALL_REDUCE, count, type, op);
    call(Primitive.ALL_REDUCE, send, receive, count, type, number(op), 0, stream);
  }

  @Override
  public void reduce(
      long send, long receive, long count, DataType type, ReduceOp op, int root, Stream stream) {
    require(Primitive.REDUCE, count, type, op);
    requireMember("root", root);
    call(Primitive.REDUCE, send, receive, count, type, number(op), root, stream);
  }

  @Override
  public void broadcast(
      long send, long receive, long count, DataType type, int root, Stream stream) {
    require(Primitive.BROADCAST, count, type);
    requireMember("root", root);
    if (dialect.shape().broadcastsInPlace() && rank == root && send != receive && count > 0) {
      device.copy(receive, send, count * type.sizeBytes(), stream);
    }
    move(Primitive.BROADCAST, send, receive, count, type, root, stream);
  }

  @Override
  public void reduceScatter(
      long send, long receive, long receiveCount, DataType type, ReduceOp op, Stream stream) {
    require(Primitive.REDUCE_SCATTER, receiveCount, type, op);
    call(Primitive.REDUCE_SCATTER, send, receive, receiveCount, type, number(op), 0, stream);
  }

  @Override
  public void allGather(long send, long receive, long sendCount, DataType type, Stream stream) {
    require(Primitive.ALL_GATHER, sendCount, type);
    move(Primitive.ALL_GATHER, send, receive, sendCount, type, 0, stream);
  }

  @Override
  public void allToAll(long send, long receive, long count, DataType type, Stream stream) {
    require(Primitive.ALL_TO_ALL, count, type);
    if (send == receive && count > 0) {
      throw new UsageException("all_to_all cannot be in place: its blocks change places");
    }
    move(Primitive.ALL_TO_ALL, send, receive, count, type, 0, stream);
  }

  @Override
  public void gather(
      long send, long receive, long sendCount, DataType type, int root, Stream stream) {
    require(Primitive.GATHER, sendCount, type);
    requireMember("root", root);
    move(Primitive.GATHER, send, receive, sendCount, type, root, stream);
  }

  @Override
  public void scatter(
      long send, long receive, long receiveCount, DataType type, int root, Stream stream) {
    require(Primitive.SCATTER, receiveCount, type);
    requireMember("root", root);
    move(Primitive.SCATTER, send, receive, receiveCount, type, root, stream);
  }

  @Override
  public void send(long address, long count, DataType type, int peer, Stream stream) {
    require(Primitive.SEND, count, type);
    requireMember("peer", peer);
    move(Primitive.SEND, address, 0, count, type, peer, stream);
  }

  @Override
  public void receive(long address, long count, DataType type, int peer, Stream stream) {
    require(Primitive.RECEIVE, count, type);
    requireMember("peer", peer);
    move(Primitive.RECEIVE, 0, address, count, type, peer, stream);
  }

  @Override
  public void register(DeviceMemory memory) {
    require(Flag.REGISTERED_BUFFERS, "registered buffers");
    if (!(memory instanceof LibraryMemory own)) {
      throw new UsageException(
          "%s registers memory that it has allocated, not %s".formatted(dialect.product(), memory));
    }
    ensureOpen();
    long before = device.bind();
    try {
      library.check(
          CclNative.register0(handle, own.handle()),
          handle,
          "registering " + memory.sizeBytes() + " bytes");
    } finally {
      device.unbind(before);
    }
  }

  @Override
  public void groupStart() {
    require(Flag.GROUP, "groups");
    launch.groupStart(
        () ->
            library.check(
                CclNative.groupStart0(handle, dialect.numbers().success()),
                library.handle(),
                "opening a group"));
  }

  @Override
  public void groupEnd() {
    require(Flag.GROUP, "groups");
    launch.groupEnd(
        () -> {
          inside.setOpaque(Entry.GROUP_END);
          long before = device.bind();
          try {
            library.check(
                CclNative.groupEnd0(library.handle(), handle),
                library.handle(),
                "launching a group");
          } finally {
            device.unbind(before);
            inside.setOpaque(null);
          }
        });
  }

  @Override
  public Optional<VendorException> asyncError() {
    if (!library.capabilities().has(Flag.ASYNC_ERROR) || ended.get()) {
      return Optional.empty();
    }
    int[] error = new int[1];
    try {
      library.check(CclNative.asyncError0(handle, error), handle, "asking for asynchronous errors");
    } catch (IllegalStateException e) {
      if (ended.get()) { // by another thread, since the question above
        return Optional.empty();
      }
      throw e;
    }
    return dialect.numbers().isError(error[0])
        ? Optional.of(library.error(library.text(handle, error[0]), error[0]))
        : Optional.empty();
  }

  @Override
  public void abort() {
    require(Flag.ABORT, "abort");
    if (ended.compareAndSet(false, true)) {
      end(CclNative::abort0, "aborting");
    }
  }

  @Override
  public void close() {
    boolean stuck = launch.isBusy();
    if (ended.compareAndSet(false, true) && !stuck) {
      end(CclNative::destroy0, "destroying the communicator");
    }
  }

  /** On any thread, which may never have had to do with the device. */
  private void end(LongToIntFunction call, String what) {
    long before = device.bind();
    try {
      library.check(call.applyAsInt(handle), library.handle(), what);
    } finally {
      device.unbind(before);
    }
  }

  @Override
  public boolean takesOffers() {
    return offers;
  }

  @Override
  public void offer(
      Primitive primitive,
      long send,
      long receive,
      long count,
      DataType type,
      ReduceOp op,
      int root) {
    boolean may =
        offers
            && !ended.get()
            && (primitive.isReducing()
                ? library.capabilities().supports(primitive, type, op)
                : library.capabilities().supports(primitive, type));
    if (may) {
      CclNative.offer0(
          handle,
          Entry.of(primitive).place(),
          send,
          receive,
          count,
          dialect.numbers().of(type),
          primitive.isReducing() ? number(op) : 0,
          root);
    }
  }

  /** A call without an operator. */
  private void move(
      Primitive primitive,
      long send,
      long receive,
      long count,
      DataType type,
      int root,
      Stream stream) {
    call(primitive, send, receive, count, type, 0, root, stream);
  }

  private void call(
      Primitive primitive,
      long send,
      long receive,
      long count,
      DataType type,
      int op,
      int root,
      Stream stream) {
    ensureOpen();
    Entry entry = Entry.of(primitive);
    int typeNumber = dialect.numbers().of(type);
    launch.launch(
        stream,
        queue -> {
          inside.setOpaque(entry);
          long before = device.bind();
          try {
            library.check(
                CclNative.collective0(
                    handle, entry.place(), send, receive, count, typeNumber, op, root, queue),
                handle,
                primitive.text());
          } finally {
            device.unbind(before);
            inside.setOpaque(null);
          }
        });
  }

  @Override
  public Optional<String> callUnderWay() {
    return Optional.ofNullable(inside.getOpaque())
        .map(entry -> entry.symbol(dialect).orElseThrow() + " of " + dialect.product());
  }

  private void ensureOpen() {
    checkState(!ended.get(), "this communicator is closed or was aborted");
  }

  private void require(Primitive primitive, long count, DataType type, ReduceOp op) {
    require(primitive, count, type);
    if (!library.capabilities().supports(primitive, type, op)) {
      throw undeclared(primitive.text() + " with " + op.text() + " of " + type.text());
    }
  }

  private void require(Primitive primitive, long count, DataType type) {
    if (!library.capabilities().supports(primitive, type)) {
      throw undeclared(primitive.text() + " of " + type.text());
    }
    if (count < 0) {
      throw new UsageException(primitive.text() + " of " + count + " elements");
    }
  }

  private void requireMember(String role, int member) {
    if (member < 0 || member >= size) {
      throw new UsageException(role + " " + member + " in a communicator of " + size);
    }
  }

  private void require(Flag flag, String what) {
    if (!library.capabilities().has(flag)) {
      throw undeclared(what);
    }
  }

  private UnsupportedException undeclared(String what) {
    return new UnsupportedException(dialect.product() + " is not declared to do " + what);
  }

  private int number(ReduceOp op) {
    return dialect.numbers().of(op);
  }
}
