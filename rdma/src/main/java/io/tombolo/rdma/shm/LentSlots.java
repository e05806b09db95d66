// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.SlotLink;
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
 * <p>One of them carries more than the ring's slots do: besides the copy, each costs the same. A
 * peer that cannot read one refuses it: then that slot and all behind it are taken back, what was
 * in them is cut anew into slots of the ring, and none is lent any more.
 */
final class LentSlots {
  /** Less goes through the ring: two short copies are cheaper than a call of the system. */
  static final int LEAST_BYTES = 32 << 10;

  /** Of a longer message, one slot has so much: others wait while it is read. */
  private static final int PIECE_BYTES = 4 << 20;

  /** The last one of a message takes along what alone would not be worth it. */
  static final int MOST_BYTES = PIECE_BYTES + LEAST_BYTES - 1;

  /**
   * What a peer says that reads so much. Builds that read no more than the ring's slots carry said
   * 1; to them nothing is lent.
   */
  static final int READS = 2;

  private static final int LENT = 44;
  private static final int ADDRESS = 48;

  private final SlotRing ring;
  private final LongCell peerReads;
  private final LongCell refused;
  private final LongCell takenBack;
  private final long[] addresses;
  private final int[] sizes;
  private boolean isRefused;

  /**
   * None yet.
   *
   * @param ring the slots that go out
   * @param peerReads {@link #READS} if the peer reads memory of this process
   * @param refused one more than the slot whose payload it could not read; 0 if there was none
   * @param takenBack one more than that slot, once it is published anew, or is about to be
   */
  LentSlots(SlotRing ring, LongCell peerReads, LongCell refused, LongCell takenBack) {
    this.ring = ring;
    this.peerReads = peerReads;
    this.refused = refused;
    this.takenBack = takenBack;
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

  /**
   * How many of the {@code rest} bytes of a message slot {@code sequence} lends from now on; 0 if
   * it has to be filled.
   */
  int lend(long sequence, LocalMemory source, long position, long rest) {
    if (rest < LEAST_BYTES || isRefused || source.plainAddress() == 0 || !peerReads()) {
      return 0;
    }
    int slot = ring.index(sequence);
    addresses[slot] = source.plainAddress() + position;
    sizes[slot] = (int) (rest <= MOST_BYTES ? rest : PIECE_BYTES);
    return sizes[slot];
  }

  private boolean peerReads() {
    return peerReads.getAcquire() == READS;
  }

  /** Has the header of slot {@code sequence} say where its payload is. */
  void note(long sequence) {
    int slot = ring.index(sequence);
    ByteBuffer header = ring.view(sequence);
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
   * The slot whose payload the peer cannot read, of those that it was given and has not {@code
   * consumed}; {@link SlotLink#NONE} if there is none.
   */
  long refused(long consumed, long published) {
    long word = isRefused ? 0 : refused.getAcquire();
    if (word == 0) {
      return SlotLink.NONE;
    }
    long sequence = word - 1;
    if (sequence < consumed || sequence >= published || !has(sequence)) {
      throw new CorruptException(
          "the peer refuses slot %s, which is not lent; those from %s to %s are under way"
              .formatted(sequence, consumed, published));
    }
    return sequence;
  }

  /**
   * The slots from {@code from}, which was refused, to those below {@code end} lend nothing any
   * more, nor does any other. The peer is told, who then looks what is published.
   *
   * @return bytes of what they had lent
   */
  long takeBack(long from, long end) {
    isRefused = true;
    long bytes = 0;
    for (long sequence = from; sequence < end; sequence++) {
      bytes += has(sequence) ? sizes[ring.index(sequence)] : 0;
      end(sequence);
    }
    takenBack.setRelease(from + 1);
    return bytes;
  }

  /** Of a message of {@code sizeBytes}, the bytes that may be lent. */
  static long lendable(long sizeBytes) {
    return sizeBytes < LEAST_BYTES ? 0 : sizeBytes;
  }
}
