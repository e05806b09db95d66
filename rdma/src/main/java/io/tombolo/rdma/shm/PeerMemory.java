// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;

/**
 * The memory of the peer's process, from which payloads that it {@linkplain LentSlots lends} are
 * copied to where they belong.
 *
 * <p>The process is the one that the kernel has at the other end of the socket. An address that it
 * names is only ever handed to the kernel, for that process's memory. What was read counts only if
 * the peer's end is open after that: until then the process is the same, and the memory is still
 * the message's.
 */
final class PeerMemory {
  /** The kernel could not reach the address. */
  private static final int FAULT = -14;

  private final UnixSocket socket;
  private final int process;
  private final boolean isRead;
  private final LongCell refused;
  private final LongCell refilled;
  private long unread = Long.MAX_VALUE;
  private boolean isRefilled;

  /**
   * That of the process at the other end of {@code socket}.
   *
   * @param isWanted whether messages have a place here that a processor copies to
   * @param reads tells the peer whether its payloads are read, if the system lets this process
   * @param refused tells the peer that a payload cannot be read
   * @param refilled how many slots the peer had published when it had filled those it had lent
   */
  PeerMemory(
      UnixSocket socket, boolean isWanted, LongCell reads, LongCell refused, LongCell refilled) {
    this.socket = socket;
    this.process = socket.peerProcess();
    this.isRead = isWanted && UnixSystem.mayReadProcess0(process) != 0;
    this.refused = refused;
    this.refilled = refilled;
    reads.setRelease(isRead ? 1 : 0);
  }

  /**
   * Copies the payload of slot {@code sequence}, whose header this is, to its place. If that fails
   * the slot has not arrived: it does when the peer has filled it, or never if that has gone. A
   * peer that lends though nobody reads is told so by a {@link CorruptException}: it would look for
   * what can be read.
   */
  boolean fetch(long sequence, ByteBuffer header, LocalMemory target, long position, int bytes) {
    if (!isRead || isRefilled) {
      throw new CorruptException(
          "the peer says that slot "
              + sequence
              + " is to be read in its memory, which nobody does");
    }
    int result = read(LentSlots.address(header), target.plainAddress(), position, bytes);
    if (result == 0 && !socket.isPeerGone()) {
      return true;
    }
    unread = sequence;
    if (result != 0) {
      refused.setRelease(sequence + 1);
    }
    return false;
  }

  private int read(long from, long to, long position, int bytes) {
    return to == 0 ? FAULT : UnixSystem.readProcess0(process, to + position, from, bytes);
  }

  /** Of the slots that the peer has {@code published}, how many have arrived. */
  long arrived(long published) {
    if (published > unread && refilled.getAcquire() > unread) {
      unread = Long.MAX_VALUE;
      isRefilled = true;
    }
    return Math.min(published, unread);
  }
}
