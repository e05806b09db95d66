// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

/**
 * The arithmetic of CRC-32C: bytes are polynomials over GF(2), and a checksum is what is left of
 * one modulo that of Castagnoli. So checksums of parts add up to that of the whole, once each is
 * multiplied by x<sup>8n</sup> for the n bytes that come after it. Pure.
 *
 * <p>A polynomial's coefficient of x<sup>0</sup> is the highest bit, as in the registers of RFC
 * 3720's checksum.
 */
final class CrcShift {
  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int ONE = 1 << 31;

  /** x to the power of 2<sup>n</sup>, for n up to the bits of a length in bits. */
  private static final int[] SQUARES = squares();

  private CrcShift() {}

  private static int[] squares() {
    int[] squares = new int[Long.SIZE + 3];
    squares[0] = ONE >>> 1;
    for (int n = 1; n < squares.length; n++) {
      squares[n] = product(squares[n - 1], squares[n - 1]);
    }
    return squares;
  }

  /** x<sup>8n</sup>: what moves a checksum over {@code bytes} that follow. */
  static int power(long bytes) {
    int power = ONE;
    long rest = bytes;
    for (int n = 3; rest != 0; n++) {
      if ((rest & 1) != 0) {
        power = product(power, SQUARES[n]);
      }
      rest >>>= 1;
    }
    return power;
  }

  /** {@code left} · {@code right}. */
  static int product(int left, int right) {
    int sum = 0;
    int shifted = right;
    for (int rest = left; rest != 0; rest <<= 1) {
      sum ^= rest < 0 ? shifted : 0;
      shifted = (shifted >>> 1) ^ ((shifted & 1) == 0 ? 0 : POLYNOMIAL);
    }
    return sum;
  }

  /** The checksum of so many zeros. */
  static int ofZeros(long bytes) {
    return ~product(~0, power(bytes));
  }
}
