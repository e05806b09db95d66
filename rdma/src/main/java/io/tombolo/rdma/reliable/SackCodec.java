// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;

/**
 * Selective acknowledgement: <b>bit i ⇔ psn base + i</b>, counted from the lowest bit of the first
 * 64-bit word. The only place that knows.
 *
 * <p>The bitmap is a view around the newest arrival, as in Ultra Ethernet's ACK_CC, not the limit
 * of the window: its base is independent of the cumulative psn.
 */
final class SackCodec {
  /** Psns per word. */
  static final int WORD_BITS = Long.SIZE;

  /** Words in the largest bitmap. */
  static final int MAX_WORDS = 4;

  /** Told of each psn a bitmap names. */
  interface Arrivals {
    void onArrived(long psn);
  }

  private SackCodec() {}

  /** The base of the view around {@code newest}. */
  static long base(ReceiveWindow window, long newest) {
    return Math.max(window.next(), newest + 1 - MAX_WORDS * WORD_BITS / 2);
  }

  /** Words needed from {@code base} to the end of what has arrived, at most {@link #MAX_WORDS}. */
  static int wordCount(ReceiveWindow window, long base) {
    long bits = Math.max(0, window.end() - base);
    return (int) Math.min(MAX_WORDS, (bits + WORD_BITS - 1) / WORD_BITS);
  }

  /** Writes {@code words} words from {@code index} on. */
  static void encode(ReceiveWindow window, long base, int words, ByteBuffer packet, int index) {
    for (int w = 0; w < words; w++) {
      long word = 0;
      for (int i = 0; i < WORD_BITS; i++) {
        if (window.contains(base + (long) w * WORD_BITS + i)) {
          word |= 1L << i;
        }
      }
      packet.putLong(index + w * Long.BYTES, word);
    }
  }

  /** Reads {@code words} words from {@code index} on. */
  static void decode(long base, int words, ByteBuffer packet, int index, Arrivals arrivals) {
    for (int w = 0; w < words; w++) {
      decode(base + (long) w * WORD_BITS, packet.getLong(index + w * Long.BYTES), arrivals);
    }
  }

  /** Reads one word. */
  static void decode(long base, long word, Arrivals arrivals) {
    for (long rest = word; rest != 0; rest &= rest - 1) {
      arrivals.onArrived(base + Long.numberOfTrailingZeros(rest));
    }
  }
}
