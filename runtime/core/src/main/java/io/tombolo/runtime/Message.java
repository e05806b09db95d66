// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;

/**
 * Elements that this rank sends to one rank or receives from it. The other side must have the
 * counterpart, of the same tag and as many bytes; messages without elements are not sent.
 *
 * @param way which way they go
 * @param buffer the elements
 * @param peer the other rank
 * @param tag 0 or more; messages of one tag match in the order of the calls, and wait for none of
 *     another tag
 */
public record Message(Way way, DeviceBuffer buffer, int peer, int tag) {
  /** The two ways of a message, seen from this rank. */
  public enum Way {
    /** From this rank to the peer. */
    SEND,
    /** From the peer to this rank. */
    RECEIVE
  }

  /** {@code buffer} goes to {@code peer}. */
  public static Message send(DeviceBuffer buffer, int peer) {
    return new Message(Way.SEND, buffer, peer, 0);
  }

  /** What comes from {@code peer} goes to {@code buffer}. */
  public static Message receive(DeviceBuffer buffer, int peer) {
    return new Message(Way.RECEIVE, buffer, peer, 0);
  }

  /** It, with another tag. */
  public Message tagged(int newTag) {
    return newTag == tag ? this : new Message(way, buffer, peer, newTag);
  }

  /** What becomes of the buffer. */
  String does() {
    return way == Way.SEND ? "reads" : "writes";
  }

  long sizeBytes() {
    return buffer.sizeBytes();
  }

  /** The call whose plan carries it. */
  CollectiveCall call() {
    Layout.One block = new Layout.One(peer, buffer.count());
    Layout.One nothing = new Layout.One(peer, 0);
    return CollectiveCall.exchange(
        way == Way.SEND ? new Layout.Pairwise(block, nothing) : new Layout.Pairwise(nothing, block),
        buffer.type());
  }

  /** For people: {@code send of 8 f32 to rank 3, tag 5}. */
  @Override
  public String toString() {
    return (way == Way.SEND ? "send of " : "receive of ")
        + buffer.count()
        + " "
        + buffer.type().text()
        + (way == Way.SEND ? " to rank " : " from rank ")
        + peer
        + (tag == 0 ? "" : ", tag " + tag);
  }
}
