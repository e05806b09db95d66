// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.staged.SlotRing;
import java.nio.ByteBuffer;

/**
 * Payloads of outgoing slots that stay where their messages are, for the peer to read there. Their
 * headers say where that is:
 *
 * <pre>
 * 44  u32  1 if the payload is in the sender's memory, 0 if in the ring
 * 48  u64  its address there
 * </pre>
 *
 * <p>A peer that cannot read one refuses it: then all that are lent are copied into the ring, and
 * none is lent any more.
 */
final class LentSlots {
  /** Less goes through the ring: two short copies are cheaper than a call of the system. */
  static final int LEAST_BYTES = 32 << 10;

  private static final int LENT = 44;
  private static final int ADDRESS = 48;

  private final SlotRing ring;
  private final LongCell peerReads;
  private final LongCell refused;
  private final LongCell refilled;
  private final long[] addresses;
  private final int[] sizes;
  private boolean isRefused;
  private long refilledBytes;

  /**
   * None yet.
   *
   * @param ring the slots that go out
   * @param peerReads not 0 if the peer reads memory of this process
   * @param refused not 0 if it could not read a payload
   * @param refilled how many slots had been published when they all had their payloads
   */
  LentSlots(SlotRing ring, LongCell peerReads, LongCell refused, LongCell refilled) {
    this.ring = ring;
    this.peerReads = peerReads;
    this.refused = refused;
    this.refilled = refilled;
    this.addresses = new long[ring.slots()];
    this.sizes = new int[ring.slots()];
  }

  /** Whether {@code header} says that its payload is in the sender's memory. */
  static boolean isLent(ByteBuffer header) {
    return header.getInt(LENT) != 0;
  }

  /** Where {@code header} says that its payload is; an address of the sender's process. */
  static long address(ByteBuffer header) {
    return header.getLong(ADDRESS);
  }

  /** Whether the payload of slot {@code sequence} is lent from now on; else it has to be filled. */
  boolean lend(long sequence, LocalMemory source, long position, int bytes) {
    if (bytes < LEAST_BYTES || isRefused || source.plainAddress() == 0 || !peerReads()) {
      return false;
    }
    int slot = ring.index(sequence);
    addresses[slot] = source.plainAddress() + position;
    sizes[slot] = bytes;
    return true;
  }

  private boolean peerReads() {
    return peerReads.getAcquire() != 0;
  }

  /** Has the header of slot {@code sequence} say where its payload is. */
  void note(long sequence) {
    note(ring.index(sequence), ring.view(sequence));
  }

  private void note(int slot, ByteBuffer header) {
    header.putInt(LENT, addresses[slot] == 0 ? 0 : 1);
    header.putLong(ADDRESS, addresses[slot]);
  }

  /** Whether the payload of slot {@code sequence} is still to be read from its message. */
  boolean has(long sequence) {
    return addresses[ring.index(sequence)] != 0;
  }

  /** The peer has read the payload of slot {@code sequence}, if that was lent. */
  void end(long sequence) {
    addresses[ring.index(sequence)] = 0;
  }

  /**
   * Puts into the ring what the peer cannot read.
   *
   * @param published how many slots it has been given
   * @return how many slots were filled
   */
  int refill(long published) {
    if (isRefused || refused.getAcquire() == 0) {
      return 0;
    }
    isRefused = true;
    int filled = 0;
    for (int slot = 0; slot < addresses.length; slot++) {
      filled += fill(slot) ? 1 : 0;
    }
    refilled.setRelease(published);
    return filled;
  }

  private boolean fill(int slot) {
    if (addresses[slot] == 0) {
      return false;
    }
    NativeMemory.copy(ring.payload(slot), addresses[slot], sizes[slot]);
    refilledBytes += sizes[slot];
    addresses[slot] = 0;
    note(slot, ring.view(slot));
    return true;
  }

  /** Bytes that were lent, and copied all the same. */
  long refilledBytes() {
    return refilledBytes;
  }

  /** Of a message of {@code sizeBytes} in slots of that payload, the bytes that may be lent. */
  static long lendable(long sizeBytes, int payloadBytes) {
    long rest = sizeBytes % payloadBytes;
    return (payloadBytes < LEAST_BYTES ? 0 : sizeBytes - rest) + (rest < LEAST_BYTES ? 0 : rest);
  }
}
