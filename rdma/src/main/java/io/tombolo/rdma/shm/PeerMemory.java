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
 * names is only ever handed to the kernel, for that process's memory. What was read of a message
 * counts only if the peer's end is open after the last of it was read: until then the process is
 * the same, and the memory is still the message's.
 */
final class PeerMemory {
  /** The kernel could not reach the address. */
  private static final int FAULT = -14;

  private final UnixSocket socket;
  private final int process;
  private final boolean isRead;
  private final LongCell refused;
  private final LongCell takenBack;
  private long unread = Long.MAX_VALUE;
  private boolean isTakenBack;

  /**
   * That of the process at the other end of {@code socket}.
   *
   * @param isWanted whether messages have a place here that a processor copies to
   * @param reads tells the peer whether its payloads are read, if the system lets this process
   * @param refused tells the peer that a payload cannot be read
   * @param takenBack more than that slot, once the peer has taken it back
   */
  PeerMemory(
      UnixSocket socket, boolean isWanted, LongCell reads, LongCell refused, LongCell takenBack) {
    this.socket = socket;
    this.process = socket.peerProcess();
    this.isRead = isWanted && UnixSystem.mayReadProcess0(process) != 0;
    this.refused = refused;
    this.takenBack = takenBack;
    reads.setRelease(isRead ? LentSlots.READS : 0);
  }

  /**
   * Copies the payload of slot {@code sequence}, whose header this is, to its place. If that fails
   * the slot has not arrived: it does when the peer has filled it, or never if that has gone. A
   * peer that lends though nobody reads is told so by a {@link CorruptException}: it would look for
   * what can be read.
   *
   * <p>Whether the peer is still there is looked at where nothing of the message can be lent any
   * more, as {@code rest} is too little: it is a call of the system.
   */
  boolean fetch(
      long sequence, ByteBuffer header, LocalMemory target, long position, int bytes, long rest) {
    if (!isRead || isTakenBack) {
      throw new CorruptException(
          "the peer says that slot "
              + sequence
              + " is to be read in its memory, which nobody does");
    }
    int result = read(LentSlots.address(header), target.plainAddress(), position, bytes);
    boolean isLast = rest < LentSlots.LEAST_BYTES;
    if (result == 0 && !(isLast && socket.isPeerGone())) {
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

  /**
   * Looks whether the peer has taken back what could not be read. Before it is looked what is
   * published: what was published before that was taken back.
   */
  void look() {
    if (unread != Long.MAX_VALUE && takenBack.getAcquire() > unread) {
      unread = Long.MAX_VALUE;
      isTakenBack = true;
    }
  }

  /** Of the slots that the peer has {@code published}, how many have arrived. */
  long arrived(long published) {
    return Math.min(published, unread);
  }
}
