// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first words of each side of a connection: 64 bytes, little-endian.
 *
 * <pre>
 *  0  u32  magic "TBLH"
 *  4  u16  lowest, 6  u16  highest version that the side speaks
 *  8  u32  rank of this side, 12  u32  rank it means to talk to
 * 16  u64  channel
 * 24  u32  slots, 28  u32  payload bytes of a slot: the most this side can do
 * 32       nonce
 * </pre>
 *
 * @param minVersion lowest version that the side speaks
 * @param maxVersion highest one
 * @param rank of this side
 * @param peer the rank it means to talk to
 * @param channelId which of the channels between the two
 * @param geometry the most this side can do
 */
public record Hello(
    int minVersion, int maxVersion, int rank, int peer, long channelId, SlotGeometry geometry) {
  /** Bytes of it. */
  public static final int SIZE_BYTES = 64;

  /** The one handshake that this build speaks: 2 ends with a welcome, 1 did not. */
  static final int VERSION = 2;

  /**
   * The highest version of a side that may leave what the channel was to go by, see {@link
   * TrialMedium}. Its handshake is the same.
   */
  static final int TRIAL_VERSION = 3;

  /** The first four bytes. */
  public static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'H' << 24;

  /** What {@code rank} says first to {@code peer}. */
  public static Hello of(int rank, int peer, long channelId, SlotGeometry geometry) {
    return new Hello(VERSION, VERSION, rank, peer, channelId, geometry);
  }

  /** The same of a side that may leave what the channel was to go by, if it {@code may}. */
  Hello onTrial(boolean may) {
    int highest = may ? TRIAL_VERSION : VERSION;
    return new Hello(minVersion, highest, rank, peer, channelId, geometry);
  }

  /** Whether the side may leave what the channel was to go by. */
  boolean isOnTrial() {
    return maxVersion >= TRIAL_VERSION;
  }

  /**
   * The bytes on the wire; proofs are bound to them, and so to {@code nonce}, which has to be
   * fresh.
   */
  public byte[] encode(byte[] nonce) {
    checkArgument(nonce.length == JobToken.SIZE_BYTES, "a nonce of %s bytes", nonce.length);
    return ByteBuffer.allocate(SIZE_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .putShort((short) minVersion)
        .putShort((short) maxVersion)
        .putInt(rank)
        .putInt(peer)
        .putLong(channelId)
        .putInt(geometry.slots())
        .putInt(geometry.payloadBytes())
        .put(nonce)
        .array();
  }

  /** The words in {@code bytes}; {@link CorruptException} if they are not ours or make no sense. */
  public static Hello decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int magic = in.getInt();
    if (magic != MAGIC) {
      throw new CorruptException(String.format("a connection starts with %08x: not ours", magic));
    }
    int minVersion = Short.toUnsignedInt(in.getShort());
    int maxVersion = Short.toUnsignedInt(in.getShort());
    int rank = in.getInt();
    int peer = in.getInt();
    long channelId = in.getLong();
    SlotGeometry geometry = geometry(in.getInt(), in.getInt());
    return new Hello(minVersion, maxVersion, rank, peer, channelId, geometry);
  }

  /** Whether the side speaks a version that we speak too. */
  public boolean speaksOurVersion() {
    return minVersion <= VERSION && VERSION <= maxVersion;
  }

  /** Takes the peer's words if they are from a build and a rank that we can talk to. */
  public Hello checked(String fabric, int ownRank) {
    if (!speaksOurVersion()) {
      throw new MismatchException(
          "rank "
              + rank
              + " speaks versions "
              + minVersion
              + " to "
              + maxVersion
              + " of the "
              + fabric
              + " wire, rank "
              + ownRank
              + " speaks version "
              + VERSION
              + "; run the same build everywhere");
    }
    if (peer != ownRank) {
      throw new MismatchException(
          "rank "
              + rank
              + " means to talk to rank "
              + peer
              + " but this is rank "
              + ownRank
              + "; one of them may be of an earlier job, or two processes have one RANK: look for"
              + " them, and start the job again");
    }
    return this;
  }

  private static SlotGeometry geometry(int slots, int payloadBytes) {
    try {
      return new SlotGeometry(slots, payloadBytes);
    } catch (IllegalArgumentException e) {
      throw new CorruptException("a connection asks for an impossible ring: " + e.getMessage(), e);
    }
  }
}
