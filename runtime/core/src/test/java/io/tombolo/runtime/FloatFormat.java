// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.DataType;

/**
 * A binary floating-point format by its definition, on numbers that are held as doubles: a double
 * holds sums of two of them so exactly that rounding it is rounding the sum.
 *
 * @param sizeBits all bits
 * @param fractionBits bits of the fraction, without the hidden one
 * @param leastExponent the exponent of the least normal number
 */
record FloatFormat(int sizeBits, int fractionBits, int leastExponent) {
  private static final int DOUBLE_FRACTION_BITS = 52;

  static FloatFormat of(DataType type) {
    return switch (type) {
      case F32 -> new FloatFormat(32, 23, -126);
      case F16 -> new FloatFormat(16, 10, -14);
      case BF16 -> new FloatFormat(16, 7, -126);
      case I8, U8, I16, U16, I32, U32, I64, U64, F64, BOOL, F8E4M3, F8E5M2 ->
          throw new IllegalArgumentException(type.text());
    };
  }

  /** The number nearest to {@code value}, of two the even one; none here is too large. */
  double round(double value) {
    int unit = exponent(value) - fractionBits;
    return Math.rint(value * powerOfTwo(-unit)) * powerOfTwo(unit);
  }

  /** The bits of a number of this format. */
  int bits(double number) {
    int exponent = exponent(number);
    int fraction = (int) (Math.abs(number) * powerOfTwo(fractionBits - exponent));
    int sign = Math.copySign(1, number) < 0 ? 1 << (sizeBits - 1) : 0;
    return sign + ((exponent - leastExponent) << fractionBits) + fraction; // the hidden bit adds 1
  }

  private int exponent(double value) {
    return Math.max(Math.getExponent(value), leastExponent);
  }

  /** Multiplying by it is as exact as {@link Math#scalb}, and needs no compiler to be fast. */
  private static double powerOfTwo(int exponent) {
    return Double.longBitsToDouble((long) (Double.MAX_EXPONENT + exponent) << DOUBLE_FRACTION_BITS);
  }
}
