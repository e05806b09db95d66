// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;

/**
 * A vendor communicator over the members of one cluster.
 *
 * <p>Calls queue work on {@code stream} and return. Where the library declares {@code
 * BLOCKING_CALLS} the stream must be the host device's, whose thread then makes the call. All
 * members make the same calls in the same order; one thread at a time. Addresses are device
 * addresses, counts are elements, ranks are positions in the cluster. A combination that is not
 * declared is refused before anything is called ({@link
 * io.tombolo.base.errors.UnsupportedException}).
 */
public interface CclCommunicator extends AutoCloseable {
  /**
   * Combines everyone's {@code count} elements; every member gets the result. {@code send ==
   * receive} is in place.
   */
  void allReduce(long send, long receive, long count, DataType type, ReduceOp op, Stream stream);

  /**
   * As {@link #allReduce}, but only {@code root} gets the result; others' {@code receive} is
   * ignored.
   */
  void reduce(
      long send, long receive, long count, DataType type, ReduceOp op, int root, Stream stream);

  /**
   * Copies {@code root}'s {@code count} elements from its {@code send} to everyone's {@code
   * receive}.
   */
  void broadcast(long send, long receive, long count, DataType type, int root, Stream stream);

  /**
   * Combines {@code size × receiveCount} elements and gives the i-th shard of {@code receiveCount}
   * to member i. In place when {@code receive} is member i's shard within {@code send}.
   */
  void reduceScatter(
      long send, long receive, long receiveCount, DataType type, ReduceOp op, Stream stream);

  /**
   * Gathers everyone's {@code sendCount} elements, in member order, at everyone. In place when
   * {@code send} is member i's shard within {@code receive}.
   */
  void allGather(long send, long receive, long sendCount, DataType type, Stream stream);

  /**
   * Sends {@code count} elements to each member and receives as many from each: block j of {@code
   * send} becomes block i of member j's {@code receive}, for member i. Never in place.
   */
  default void allToAll(long send, long receive, long count, DataType type, Stream stream) {
    throw undeclared(Primitive.ALL_TO_ALL);
  }

  /**
   * Gathers everyone's {@code sendCount} elements, in member order, at {@code root}; others' {@code
   * receive} is ignored. In place when the root's {@code send} is its block of {@code receive}.
   */
  default void gather(
      long send, long receive, long sendCount, DataType type, int root, Stream stream) {
    throw undeclared(Primitive.GATHER);
  }

  /**
   * Gives member i the i-th block of {@code receiveCount} elements of {@code root}'s {@code send};
   * others' {@code send} is ignored. In place when the root's {@code receive} is its block.
   */
  default void scatter(
      long send, long receive, long receiveCount, DataType type, int root, Stream stream) {
    throw undeclared(Primitive.SCATTER);
  }

  /**
   * Sends {@code count} elements to {@code peer}, which must {@link #receive} as many of the same
   * type. Outside of a group the stream waits until it did: two members that both send first wait
   * for ever. Calls between the same two members match in their order.
   */
  default void send(long address, long count, DataType type, int peer, Stream stream) {
    throw undeclared(Primitive.SEND);
  }

  /** Receives what {@code peer} {@linkplain #send sends}. */
  default void receive(long address, long count, DataType type, int peer, Stream stream) {
    throw undeclared(Primitive.RECEIVE);
  }

  /** Whether there is such a thing as {@link #offer} here; it stays the same. */
  default boolean takesOffers() {
    return false;
  }

  /**
   * Has the other members find this one's part of a collective ahead, where the library can: who
   * makes the call when all have done so has nobody to wait for. It is the next call here, with
   * these arguments, and none is under way. Waits for nobody, and writes nothing to {@code
   * receive}; neither buffer is used any more when this returns. A member that has not offered
   * makes the same call, so a library that has no such thing does nothing here; and what is wrong
   * with the call shows when it is made.
   *
   * @param count as the call of {@code primitive} has it
   * @param op ignored where nothing is combined
   * @param root ignored where there is none
   */
  default void offer(
      Primitive primitive,
      long send,
      long receive,
      long count,
      DataType type,
      ReduceOp op,
      int root) {}

  private static UnsupportedException undeclared(Primitive primitive) {
    return new UnsupportedException("this library is not declared to do " + primitive.text());
  }

  /**
   * Makes {@code memory}, which {@link CclAdaptor#allocate} gave, known to all members: calls whose
   * buffers lie in such memory at all of them are made without copies on the way; where they do not
   * it is an ordinary call. It is registered until it is closed, or the communicator is. All
   * members bring memory, of any sizes, in one order with their calls. Only where {@code
   * REGISTERED_BUFFERS} is declared.
   *
   * <p>Blocks until all members have come, which may be without end, and then only {@link #abort}
   * ends it: call it on a thread that can be left behind, when this member's earlier calls have
   * ended. If it is refused, it is so at all members; where {@link #asyncError} then tells of
   * nothing, the communicator and the memory can be used as before.
   */
  default void register(DeviceMemory memory) {
    throw new UnsupportedException("this library is not declared to do registered buffers");
  }

  /**
   * Opens a group: calls of this thread until {@link #groupEnd} are launched together, and its
   * sends and receives go forward side by side. Those of one communicator must be on one stream,
   * and a member may send to itself. Groups nest; the outermost end launches. One that is refused
   * has no end. Only where {@code GROUP} is declared.
   */
  void groupStart();

  /** Launches the group. */
  void groupEnd();

  /**
   * An error the library found after a call returned, where {@code ASYNC_ERROR} is declared; else
   * always empty.
   */
  Optional<VendorException> asyncError();

  /**
   * The function of the library that a thread is in now, and the library: nothing if none is, or if
   * that is not known. Thread-safe, and asked only if a call seems not to end.
   */
  default Optional<String> callUnderWay() {
    return Optional.empty();
  }

  /** Gives up all outstanding work, from any thread. Only where {@code ABORT} is declared. */
  void abort();

  @Override
  void close();
}
