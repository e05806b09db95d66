// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;

/**
 * What a slot says of its payload: 64 bytes, little-endian.
 *
 * <pre>
 *  0  u32  magic "TBLS"
 *  4  u16  version
 *  6  u16  0
 *  8  u64  sequence of the slot
 * 16  u64  tag of the message
 * 24  u64  bytes of the message
 * 32  u64  offset of this payload in the message
 * 40  u32  bytes of this payload
 * 44       zeros, or what the fabric adds
 * </pre>
 *
 * <p>Reading copies every field once, so that a peer that goes on writing to shared memory cannot
 * change what was checked. Mutable and reused: the wire allocates nothing.
 */
public final class SlotHeader {
  /** Bytes of a header. */
  public static final int SIZE_BYTES = 64;

  /** Where a header has the bytes of its payload. */
  public static final int PAYLOAD_BYTES = 40;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'S' << 24;
  private static final short VERSION = 1;

  private long sequence;
  private long tag;
  private long totalBytes;
  private long offset;
  private int payloadBytes;

  /** Writes a header at the start of {@code slot}, without moving its position. */
  static void write(
      ByteBuffer slot, long sequence, long tag, long totalBytes, long offset, int payloadBytes) {
    slot.putInt(0, MAGIC);
    slot.putShort(4, VERSION);
    slot.putShort(6, (short) 0);
    slot.putLong(8, sequence);
    slot.putLong(16, tag);
    slot.putLong(24, totalBytes);
    slot.putLong(32, offset);
    slot.putInt(PAYLOAD_BYTES, payloadBytes);
  }

  /**
   * Reads the header at the start of {@code slot}; {@link CorruptException} if it could not be one
   * of ours.
   */
  public void read(ByteBuffer slot, int maxPayloadBytes) {
    int magic = slot.getInt(0);
    short version = slot.getShort(4);
    if (magic != MAGIC || version != VERSION) {
      throw new CorruptException(
          String.format("a slot starts with %08x version %s: not ours", magic, version));
    }
    sequence = slot.getLong(8);
    tag = slot.getLong(16);
    totalBytes = slot.getLong(24);
    offset = slot.getLong(32);
    payloadBytes = slot.getInt(PAYLOAD_BYTES);
    boolean inside =
        payloadBytes >= 0
            && payloadBytes <= maxPayloadBytes
            && offset >= 0
            && totalBytes >= 0
            && offset <= totalBytes - payloadBytes;
    if (!inside || (payloadBytes == 0 && totalBytes != 0)) {
      throw new CorruptException(
          "a slot claims bytes ["
              + offset
              + ", +"
              + payloadBytes
              + ") of a message of "
              + totalBytes
              + "; slots carry at most "
              + maxPayloadBytes);
    }
  }

  /**
   * Checks that this slot is the next of {@code expected}; {@link CorruptException} if the two
   * sides disagree.
   */
  void match(long expectedSequence, PostedMessage expected) {
    if (tag != expected.tag() || totalBytes != expected.sizeBytes()) {
      throw new CorruptException(
          "the peer sends message "
              + Long.toHexString(tag)
              + " of "
              + totalBytes
              + " bytes where message "
              + Long.toHexString(expected.tag())
              + " of "
              + expected.sizeBytes()
              + " bytes is expected; the two sides' calls differ");
    }
    if (sequence != expectedSequence || offset != expected.moved()) {
      throw new CorruptException(
          "slot "
              + sequence
              + " at byte "
              + offset
              + " came where slot "
              + expectedSequence
              + " at byte "
              + expected.moved()
              + " of message "
              + Long.toHexString(tag)
              + " is due");
    }
  }

  /** The slot that this is, whatever it claims. */
  public long sequence() {
    return sequence;
  }

  /** Bytes of the payload, at most what {@link #read} allowed. */
  public int payloadBytes() {
    return payloadBytes;
  }
}
