// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import java.nio.ByteBuffer;

/**
 * The lossy wire, as far as one channel sees it. Called by the channel's thread; never blocks and
 * never calls back into the channel.
 */
public interface PacketSender {
  /** A cookie that {@link ReliableChannel#onPosted} is not told of: of what a fault repeats. */
  long NOBODYS = -1;

  /** Until when a write may leave that may whenever there is room. */
  long ANY_TIME = Moment.NEVER;

  /**
   * Sends the packet between position and limit, taking a copy; false if there is no room now.
   * Nothing is reported back; but a wire that may keep it waiting drops it when it is old, and
   * tells {@link ReliableChannel#onControlTooLate}.
   */
  boolean sendControl(ByteBuffer packet);

  /**
   * Posts a chunk as a datagram: {@code header}, copied, then the payload from {@code memory}.
   * False if there is no room now; else the wire tells {@link ReliableChannel#onPosted} with {@code
   * cookie}, once, that it no longer reads the memory.
   */
  boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie);

  /** As {@link #sendAgain}, of a chunk that was not sent before, and may leave at any time. */
  default boolean sendWrite(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie) {
    return sendAgain(
        immediate, remoteKey, remoteAddress, memory, offset, sizeBytes, cookie, ANY_TIME);
  }

  /**
   * Posts a chunk as a remote write of the payload to {@code remoteAddress} under {@code
   * remoteKey}, with {@code immediate}. False and {@link ReliableChannel#onPosted} as above. A wire
   * that may keep it waiting drops one that has not left by {@code untilNs} of the channel's clock,
   * of which it tells {@link ReliableChannel#onTooLate}, too.
   */
  boolean sendAgain(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs);
}
