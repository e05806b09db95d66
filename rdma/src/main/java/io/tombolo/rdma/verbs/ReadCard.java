// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the two ends of one-sided reads tell each other before they connect their queue pairs: 48
 * bytes, little-endian.
 *
 * <pre>
 *  0  u32 magic "TBLO"     4  u32  first packet number     8  24 bytes  port card
 * 32  u32 queue pair      36  u32  remote key of the generations
 * 40  u64 address of the generations
 * </pre>
 *
 * @param port where the pair is
 * @param pair its number
 * @param psn the first packet number it sends
 * @param key holder: what reads of its {@link GenerationCells} must show
 * @param cells holder: where they are
 */
record ReadCard(PortCard port, int pair, int psn, int key, long cells) {
  static final int SIZE_BYTES = 48;

  private static final int MAGIC = 'T' | 'B' << 8 | 'L' << 16 | 'O' << 24;
  private static final int MAX_NUMBER = 0xffffff;

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(psn);
    port.write(bytes);
    bytes.putInt(pair).putInt(key).putLong(cells);
    return bytes.array();
  }

  /** The card that {@code bytes} are; {@link CorruptException} if they are none. */
  static ReadCard decode(byte[] bytes) {
    if (bytes.length != SIZE_BYTES) {
      throw new CorruptException(
          "a card for one-sided reads has " + SIZE_BYTES + " bytes, and not " + bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int magic = in.getInt();
    int psn = in.getInt();
    PortCard port =
        PortCard.read(in)
            .orElseThrow(
                () -> new CorruptException("a card for one-sided reads names no port we know of"));
    ReadCard card = new ReadCard(port, in.getInt(), psn, in.getInt(), in.getLong());
    if (magic != MAGIC || !isNumber(psn) || !isNumber(card.pair)) {
      throw new CorruptException(
          String.format("a card for one-sided reads starts with %08x, %s", magic, card));
    }
    return card;
  }

  /** Queue pairs and packets have numbers of 24 bits. */
  private static boolean isNumber(int value) {
    return value >= 0 && value <= MAX_NUMBER;
  }
}
