// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.WakeUps;
import io.tombolo.rdma.ProtocolCounters;
import java.io.IOException;
import java.util.Optional;

/**
 * What carries the messages of one channel, from the two queues it was made with: through slots, or
 * by a protocol of its own. Used by one thread; never blocks.
 */
public interface MessageLink extends AutoCloseable {
  /** Whether messages can go; until then {@link #progress} opens it. */
  boolean isReady();

  /** What it waits for while it is not ready, for the message of a missed deadline. */
  String doing();

  /** Moves what can be moved; how many steps that was. */
  int progress() throws IOException;

  /** Whether the peer's end is closed; what has arrived can still be delivered. */
  boolean isPeerGone() throws IOException;

  /** Whether it has failed only because the peer has ended it, by the way that it opens. */
  default boolean isEndedByPeer() {
    return false;
  }

  /**
   * What is known of the peer's end once it is gone, for people.
   *
   * @throws io.tombolo.base.errors.FabricException if it went because of this side's NIC
   */
  String howPeerWent();

  /** Whether nothing that has arrived waits for its place. */
  boolean isDrained();

  /**
   * Whether nothing, no copy and no NIC, touches memory of this link or of its messages; asked
   * after {@link #hangUp}.
   */
  boolean isQuiet();

  /** The fabric that carries it, if that is not its channel's. */
  default Optional<String> carrier() {
    return Optional.empty();
  }

  /** Payload bytes handed to the wire. */
  long sentBytes();

  /** Payload bytes taken from the wire. */
  long receivedBytes();

  /** What the reliable protocol has done, where there is one and the link is ready. */
  default Optional<ProtocolCounters> protocolCounters() {
    return Optional.empty();
  }

  /** Bytes that a processor copied on this side. */
  long copiedBytes();

  /** Bytes that engines of messages' memory copied on this side. */
  default long engineBytes() {
    return 0;
  }

  /** Bytes that the wire read or wrote in the memory of messages, without a copy on this side. */
  default long directBytes() {
    return 0;
  }

  /**
   * As {@link io.tombolo.rdma.Fabric#awaits}, of a link that is ready, while no message of this
   * side is under way.
   */
  default void awaits(WakeUps wakeUps) {
    wakeUps.soon();
  }

  /**
   * Closes this end, so that the peer sees it; memory stays. If a device refuses that, it is the
   * error: the NIC may go on touching the messages' memory until another call has done it, or
   * {@link #close} has.
   */
  void hangUp();

  /**
   * Hangs up and frees the memory, which must be {@linkplain #isQuiet quiet}. If a device refuses
   * something, that is the error, and the next call goes on with what is left.
   */
  @Override
  void close();

  /**
   * As {@link #close}, of memory that may never be quiet, as a copy of a device's does not end, or
   * nobody can tell whether it has: that stays mapped. Only the wire lets go of it.
   */
  default void abandon() {
    hangUp();
  }
}
