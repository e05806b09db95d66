// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the two ends of a channel tell each other, through the socket that they proved themselves
 * on, before they connect their queue pairs: 80 bytes, little-endian.
 *
 * <pre>
 *  0  u32 magic "TBLV"     4  u32  first packet number     8  24 bytes  port card
 * 32  u32 number of pairs 36  4 x u32  queue pairs, unused ones 0
 * 52  u32 remote key of the ring and of the credit cell
 * 56  u64 address of the ring                64  u64  address of the credit cell
 * 72  u32 word              76  u32 2 if grants may be written behind the credit cell, and 4 if
 *                                    clear-to-sends that are lacking are asked for
 * </pre>
 *
 * @param port where the pairs are
 * @param pairs their numbers, 1 to {@link #MAX_PAIRS}
 * @param psn the first packet number they send
 * @param remoteKey RC: what writes into the ring and the cell must show
 * @param ringAddress RC: where the incoming ring is
 * @param cellAddress RC: where the peer says how many slots it has released
 * @param takesGrants RC: whether the peer may say, behind the credit cell, where payloads belong
 * @param asks UC: whether this side asks for clear-to-sends that it lacks
 * @param word UC and UD: half of what names the connection; the other half is the peer's
 */
record PairCard(
    PortCard port,
    ImmutableIntArray pairs,
    int psn,
    int remoteKey,
    long ringAddress,
    long cellAddress,
    boolean takesGrants,
    boolean asks,
    int word) {
  static final int SIZE_BYTES = 80;

  /** The most queue pairs of one channel. */
  static final int MAX_PAIRS = 4;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'V' << 24;
  private static final int MAX_NUMBER = 0xffffff;

  /** Grants whose immediate is a sequence; 1 was said by who took slots' numbers for it. */
  private static final int TAKES_GRANTS = 2;

  private static final int ASKS = 4;

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(psn);
    port.write(bytes);
    bytes.putInt(pairs.length());
    for (int i = 0; i < MAX_PAIRS; i++) {
      bytes.putInt(i < pairs.length() ? pairs.get(i) : 0);
    }
    bytes.putInt(remoteKey).putLong(ringAddress).putLong(cellAddress).putInt(word);
    bytes.putInt((takesGrants ? TAKES_GRANTS : 0) | (asks ? ASKS : 0));
    return bytes.array();
  }

  /** The card in {@code bytes}; {@link CorruptException} if they are none. */
  static PairCard decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int magic = in.getInt();
    int psn = in.getInt();
    PortCard port =
        PortCard.read(in)
            .orElseThrow(() -> new CorruptException("the peer's card names no port we know of"));
    ImmutableIntArray pairs = readPairs(in);
    int remoteKey = in.getInt();
    long ringAddress = in.getLong();
    long cellAddress = in.getLong();
    int word = in.getInt();
    int habits = in.getInt();
    PairCard card =
        new PairCard(
            port,
            pairs,
            psn,
            remoteKey,
            ringAddress,
            cellAddress,
            (habits & TAKES_GRANTS) != 0,
            (habits & ASKS) != 0,
            word);
    if (magic != MAGIC || psn < 0 || psn > MAX_NUMBER) {
      throw new CorruptException(String.format("the peer's card starts with %08x", magic));
    }
    return card;
  }

  private static ImmutableIntArray readPairs(ByteBuffer in) {
    int count = in.getInt();
    ImmutableIntArray.Builder numbers = ImmutableIntArray.builder(MAX_PAIRS);
    for (int i = 0; i < MAX_PAIRS; i++) {
      int number = in.getInt();
      if (i < count) {
        numbers.add(number);
      }
    }
    ImmutableIntArray pairs = numbers.build();
    if (count < 1
        || count > MAX_PAIRS
        || pairs.stream().anyMatch(pair -> pair < 0 || pair > MAX_NUMBER)) {
      throw new CorruptException("the peer's card names " + count + " queue pairs: " + pairs);
    }
    return pairs;
  }
}
