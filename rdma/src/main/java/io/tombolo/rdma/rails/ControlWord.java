// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.ChannelRoom;
import java.nio.ByteBuffer;

/**
 * What the two ends of a channel over several rails say through their control connection:
 * little-endian.
 *
 * <pre>
 *  0  u32 magic "TBLR"   4  u8 version   5  u8 type   6  u16 messages or rails below
 *  8  u32 epoch         12  u32 rails that live, the lowest bit is the first
 * 16  u64 messages received: all with lower numbers are complete
 * 24  of each of the next messages that a receive is posted for: u64 from, u64 to,
 *     the bytes it lacks; -1 and -1 if none (state)
 * 24  of each pair of rails: u64 stripes expected, u64 stripes arrived (expected)
 * 24  of each pair of rails: u32 this side's, u32 the peer's, u64 weight; and in place of the
 *     messages received the bytes of a stripe (pairs)
 * </pre>
 *
 * <p>Mutable and reused.
 */
final class ControlWord {
  static final int HEADER_BYTES = 24;
  static final int RANGE_BYTES = 16;

  /** So many messages are complete. */
  static final byte RECEIVED = 1;

  /** That is what the receives of this epoch lack. */
  static final byte STATE = 2;

  /** The two sides' calls differ; this end closes. */
  static final byte CALLS_DIFFER = 3;

  /** A rail has failed: this epoch is over. */
  static final byte STOP = 4;

  /** So many stripes are expected over each rail, and so many have arrived. */
  static final byte EXPECTED = 5;

  /** Those rails belong together; the first word of each side. */
  static final byte PAIRS = 6;

  /** Nothing arrives over a rail, the peer has said: this epoch is over. */
  static final byte STALLED = 7;

  /** Both ends of the range of a message that lacks nothing. */
  static final long NOTHING = -1;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'R' << 24;
  private static final byte VERSION = 1;

  private int type;
  private int count;
  private int epoch;
  private int live;
  private long received;

  /** Puts a header into {@code out}; the ranges of {@code count} messages follow. */
  static void put(ByteBuffer out, byte type, int count, int epoch, int live, long received) {
    out.putInt(MAGIC).put(VERSION).put(type).putShort((short) count);
    out.putInt(epoch).putInt(live).putLong(received);
  }

  /** The bytes behind the header. */
  int rangesBytes() {
    return count * RANGE_BYTES;
  }

  /** Takes a header from {@code in}; {@link CorruptException} if it could not be one of ours. */
  void read(ByteBuffer in) {
    int magic = in.getInt();
    int version = in.get();
    type = in.get();
    count = Short.toUnsignedInt(in.getShort());
    epoch = in.getInt();
    live = in.getInt();
    received = in.getLong();
    boolean sound =
        magic == MAGIC
            && version == VERSION
            && type >= RECEIVED
            && type <= STALLED
            && count <= most(type);
    if (!sound) {
      throw new CorruptException(
          String.format(
              "a word on the control connection starts with %08x, version %s, type %s for %s"
                  + " messages: not ours",
              magic, version, type, count));
    }
  }

  private static int most(int type) {
    return switch (type) {
      case STATE -> ChannelRoom.MAX_POSTED;
      case EXPECTED, PAIRS -> RailsAddress.MAX_RAILS;
      default -> 0;
    };
  }

  /**
   * Checks that it is of {@code ownEpoch}, which began with the rails {@code begun}, and counts no
   * fewer messages than before and no more than were sent.
   */
  void check(int ownEpoch, int begun, long acknowledged, long sent) {
    if (epoch != ownEpoch || (live & ~begun) != 0) {
      throw isOutOfTurn("in epoch " + ownEpoch + " with rails " + Integer.toBinaryString(begun));
    }
    if (received < acknowledged || received > sent) {
      throw new CorruptException(
          "the peer says that "
              + received
              + " messages are complete, of "
              + sent
              + " sent and "
              + acknowledged
              + " acknowledged");
    }
  }

  /** Checks that it tells of all rails. */
  void checkRails(int rails) {
    if (count != rails) {
      throw isOutOfTurn("on " + rails + " rails");
    }
  }

  /** Checks what it says of one. */
  void checkArrived(long arrived, long expected, long given) {
    if (arrived < 0 || arrived > expected || arrived > given) {
      throw new CorruptException(
          "the peer has got "
              + arrived
              + " stripes over a rail, of "
              + expected
              + " that it expects and "
              + given
              + " that were given to it");
    }
  }

  /** The error of a word that cannot follow what was said. */
  CorruptException isOutOfTurn(Object here) {
    return new CorruptException(
        "the peer says "
            + type
            + " of "
            + count
            + " with rails "
            + Integer.toBinaryString(live)
            + " in epoch "
            + epoch
            + " while this side is "
            + here);
  }

  int type() {
    return type;
  }

  int count() {
    return count;
  }

  int epoch() {
    return epoch;
  }

  int live() {
    return live;
  }

  long received() {
    return received;
  }
}
