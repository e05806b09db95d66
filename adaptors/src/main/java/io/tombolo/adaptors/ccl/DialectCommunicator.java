// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities;
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

  /** Of the last call, on whatever thread: most calls are of the kind of the one before. */
  private volatile Kind last;

  /**
   * Calls that the library is declared to do, and its numbers for them. Where nothing is combined
   * there is no operator, and its number is 0.
   */
  private record Kind(
      Primitive primitive, DataType type, ReduceOp op, Entry entry, int typeNumber, int opNumber) {
    boolean is(Primitive otherPrimitive, DataType otherType, ReduceOp otherOp) {
      return primitive == otherPrimitive && type == otherType && op == otherOp;
    }
  }

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
    call(kind(Primitive.ALL_REDUCE, count, type, op), send, receive, count, 0, stream);
  }

  @Override
  public void reduce(
      long send, long receive, long count, DataType type, ReduceOp op, int root, Stream stream) {
    Kind kind = kind(Primitive.REDUCE, count, type, op);
    requireMember("root", root);
    call(kind, send, receive, count, root, stream);
  }

  @Override
  public void broadcast(
      long send, long receive, long count, DataType type, int root, Stream stream) {
    Kind kind = kind(Primitive.BROADCAST, count, type);
    requireMember("root", root);
    if (dialect.shape().broadcastsInPlace() && rank == root && send != receive && count > 0) {
      device.copy(receive, send, count * type.sizeBytes(), stream);
    }
    call(kind, send, receive, count, root, stream);
  }

  @Override
  public void reduceScatter(
      long send, long receive, long receiveCount, DataType type, ReduceOp op, Stream stream) {
    Kind kind = kind(Primitive.REDUCE_SCATTER, receiveCount, type, op);
    call(kind, send, receive, receiveCount, 0, stream);
  }

  @Override
  public void allGather(long send, long receive, long sendCount, DataType type, Stream stream) {
    call(kind(Primitive.ALL_GATHER, sendCount, type), send, receive, sendCount, 0, stream);
  }

  @Override
  public void allToAll(long send, long receive, long count, DataType type, Stream stream) {
    Kind kind = kind(Primitive.ALL_TO_ALL, count, type);
    if (send == receive && count > 0) {
      throw new UsageException("all_to_all cannot be in place: its blocks change places");
    }
    call(kind, send, receive, count, 0, stream);
  }

  @Override
  public void gather(
      long send, long receive, long sendCount, DataType type, int root, Stream stream) {
    Kind kind = kind(Primitive.GATHER, sendCount, type);
    requireMember("root", root);
    call(kind, send, receive, sendCount, root, stream);
  }

  @Override
  public void scatter(
      long send, long receive, long receiveCount, DataType type, int root, Stream stream) {
    Kind kind = kind(Primitive.SCATTER, receiveCount, type);
    requireMember("root", root);
    call(kind, send, receive, receiveCount, root, stream);
  }

  @Override
  public void send(long address, long count, DataType type, int peer, Stream stream) {
    Kind kind = kind(Primitive.SEND, count, type);
    requireMember("peer", peer);
    call(kind, address, 0, count, peer, stream);
  }

  @Override
  public void receive(long address, long count, DataType type, int peer, Stream stream) {
    Kind kind = kind(Primitive.RECEIVE, count, type);
    requireMember("peer", peer);
    call(kind, 0, address, count, peer, stream);
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
    int error;
    try {
      long told = CclNative.asyncError0(handle);
      library.check((int) (told >> Integer.SIZE), handle, "asking for asynchronous errors");
      error = (int) told;
    } catch (IllegalStateException e) {
      if (ended.get()) { // by another thread, since the question above
        return Optional.empty();
      }
      throw e;
    }
    return dialect.numbers().isError(error)
        ? Optional.of(library.error(library.text(handle, error), error))
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
    if (!offers || ended.get()) {
      return;
    }
    Kind kind = find(primitive, type, primitive.isReducing() ? op : null);
    if (kind != null) {
      CclNative.offer0(
          handle,
          kind.entry().place(),
          send,
          receive,
          count,
          kind.typeNumber(),
          kind.opNumber(),
          root);
    }
  }

  private void call(Kind kind, long send, long receive, long count, int root, Stream stream) {
    ensureOpen();
    launch.launch(
        stream,
        queue -> {
          inside.setOpaque(kind.entry());
          long before = device.bind();
          try {
            library.check(
                CclNative.collective0(
                    handle,
                    kind.entry().place(),
                    send,
                    receive,
                    count,
                    kind.typeNumber(),
                    kind.opNumber(),
                    root,
                    queue),
                handle,
                kind.primitive().text());
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

  /** The kind of a call that moves {@code count} elements. */
  private Kind kind(Primitive primitive, long count, DataType type) {
    return kind(primitive, count, type, null);
  }

  private Kind kind(Primitive primitive, long count, DataType type, ReduceOp op) {
    Kind kind = find(primitive, type, op);
    if (kind == null) {
      throw library.capabilities().supports(primitive, type)
          ? undeclared(primitive.text() + " with " + op.text() + " of " + type.text())
          : undeclared(primitive.text() + " of " + type.text());
    }
    if (count < 0) {
      throw new UsageException(primitive.text() + " of " + count + " elements");
    }
    return kind;
  }

  /** What the library is declared to do of this kind; null if that is nothing. */
  private Kind find(Primitive primitive, DataType type, ReduceOp op) {
    Kind known = last;
    if (known != null && known.is(primitive, type, op)) {
      return known;
    }
    Capabilities declared = library.capabilities();
    boolean combines = primitive.isReducing();
    boolean may =
        combines ? declared.supports(primitive, type, op) : declared.supports(primitive, type);
    if (!may) {
      return null;
    }
    CclNumbers numbers = dialect.numbers();
    Kind found =
        new Kind(
            primitive,
            type,
            op,
            Entry.of(primitive),
            numbers.of(type),
            combines ? numbers.of(op) : 0);
    last = found;
    return found;
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
}
