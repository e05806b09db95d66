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
 * @param peer the other rank, or {@link #ANY_RANK}
 * @param tag 0 or more; messages of one tag match in the order of the calls, and wait for none of
 *     another tag
 */
public record Message(Way way, DeviceBuffer buffer, int peer, int tag) {
  /** In place of the rank that a message comes from: whichever sends one of its tag. */
  public static final int ANY_RANK = -1;

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

  /**
   * What comes from any other rank goes to {@code buffer}: the first message of its tag that no
   * earlier receive takes. {@link io.tombolo.runtime.work.Work#source} tells whose it was. It is a
   * batch of its own, and has elements. Until it has met a message, later receives of its tag wait.
   */
  public static Message receiveFromAny(DeviceBuffer buffer) {
    return new Message(Way.RECEIVE, buffer, ANY_RANK, 0);
  }

  /** Whether any rank may send it. */
  boolean isFromAny() {
    return way == Way.RECEIVE && peer == ANY_RANK;
  }

  /** It, from {@code source}. */
  Message from(int source) {
    return new Message(way, buffer, source, tag);
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
        + (way == Way.SEND
            ? " to rank " + peer
            : isFromAny() ? " from any rank" : " from rank " + peer)
        + (tag == 0 ? "" : ", tag " + tag);
  }
}
