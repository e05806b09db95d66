package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;

/**
 * Elements that this rank sends to one rank or receives from it. The other side must have the
 * counterpart, of as many bytes; messages without elements are not sent.
 *
 * @param way which way they go
 * @param address device address of the first
 * @param count elements
 * @param type their type
 * @param peer the other rank
 */
public record Message(Way way, long address, long count, DataType type, int peer) {
  /** The two ways of a message, seen from this rank. */
  public enum Way {
    /** From this rank to the peer. */
    SEND,
    /** From the peer to this rank. */
    RECEIVE
  }

  /** Checks the count. */
  public Message {
    checkArgument(count >= 0, "a count is not negative: %s", count);
    if (count > Long.MAX_VALUE / type.sizeBytes()) {
      throw new UsageException(
          "a message of %d %s would be more than 2⁶³ bytes; look at the counts"
              .formatted(count, type.text()));
    }
  }

  /** {@code count} elements at {@code address} go to {@code peer}. */
  public static Message send(long address, long count, DataType type, int peer) {
    return new Message(Way.SEND, address, count, type, peer);
  }

  /** {@code count} elements from {@code peer} go to {@code address}. */
  public static Message receive(long address, long count, DataType type, int peer) {
    return new Message(Way.RECEIVE, address, count, type, peer);
  }

  long sizeBytes() {
    return Math.multiplyExact(count, type.sizeBytes());
  }

  /** The call whose plan carries it. */
  CollectiveCall call() {
    Layout.One block = new Layout.One(peer, count);
    Layout.One nothing = new Layout.One(peer, 0);
    return CollectiveCall.exchange(
        way == Way.SEND ? new Layout.Pairwise(block, nothing) : new Layout.Pairwise(nothing, block),
        type);
  }

  /** For people: {@code send of 8 f32 to rank 3}. */
  @Override
  public String toString() {
    return (way == Way.SEND ? "send of " : "receive of ")
        + count
        + " "
        + type.text()
        + (way == Way.SEND ? " to rank " : " from rank ")
        + peer;
  }
}
