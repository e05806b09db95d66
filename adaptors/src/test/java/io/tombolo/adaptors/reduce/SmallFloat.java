// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.reduce;

import io.tombolo.base.DataType;

/**
 * A floating-point format by its definition, in exact arithmetic on multiples of its units.
 *
 * @param exponentBits bits of the exponent
 * @param mantissaBits bits of the mantissa, without the hidden one
 * @param hasInfinity whether the highest exponent is that of infinity and NaN, as in IEEE 754; else
 *     only all ones are NaN
 */
record SmallFloat(int exponentBits, int mantissaBits, boolean hasInfinity) {

  /** The value of an element of {@code type}. */
  static float decode(DataType type, long bits) {
    return type == DataType.F32 ? Float.intBitsToFloat((int) bits) : of(type).decode(bits);
  }

  /** The element of {@code type} nearest to {@code value}, ties to even, with one NaN. */
  static long encode(DataType type, float value) {
    return type == DataType.F32
        ? Integer.toUnsignedLong(Float.floatToIntBits(value)) // canonical NaN
        : of(type).encode(value);
  }

  private static SmallFloat of(DataType type) {
    return switch (type) {
      case F16 -> new SmallFloat(5, 10, true);
      case BF16 -> new SmallFloat(8, 7, true);
      case F8E4M3 -> new SmallFloat(4, 3, false);
      case F8E5M2 -> new SmallFloat(5, 2, true);
      case I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, BOOL ->
          throw new IllegalArgumentException(type.text());
    };
  }

  private int bias() {
    return (1 << (exponentBits - 1)) - 1;
  }

  /** Exponent of the least subnormal number. */
  private int leastExponent() {
    return 1 - bias() - mantissaBits;
  }

  private long highestExponent() {
    return ((1L << exponentBits) - 1) << mantissaBits;
  }

  private long ones() {
    return (1L << (exponentBits + mantissaBits)) - 1;
  }

  private long notANumber() {
    return hasInfinity ? highestExponent() | 1L << (mantissaBits - 1) : ones();
  }

  /** What stands for numbers that are too large, without a sign. */
  private long overflow() {
    return hasInfinity ? highestExponent() : ones();
  }

  private float decode(long bits) {
    long pattern = bits & ones();
    double magnitude =
        pattern == highestExponent() && hasInfinity
            ? Double.POSITIVE_INFINITY
            : pattern > overflow() || pattern == notANumber() ? Double.NaN : finite(pattern);
    return (float) ((bits & ~ones()) == 0 ? magnitude : -magnitude);
  }

  private double finite(long pattern) {
    long exponent = pattern >> mantissaBits;
    long mantissa = pattern & ((1L << mantissaBits) - 1);
    return exponent == 0
        ? Math.scalb((double) mantissa, leastExponent())
        : Math.scalb(
            (double) (mantissa | 1L << mantissaBits), leastExponent() + (int) exponent - 1);
  }

  private long encode(float value) {
    if (Float.isNaN(value)) {
      return notANumber();
    }
    long sign = Float.floatToRawIntBits(value) < 0 ? ones() + 1 : 0;
    double magnitude = Math.abs((double) value);
    long pattern = Double.isInfinite(magnitude) ? overflow() : nearest(magnitude);
    return pattern >= overflow() ? hasInfinity ? sign | overflow() : notANumber() : sign | pattern;
  }

  /**
   * Consecutive numbers have consecutive patterns: count units from the binade's first, or from
   * zero.
   */
  private long nearest(double magnitude) {
    int exponent = magnitude == 0 ? leastExponent() : Math.getExponent(magnitude);
    int unit = Math.max(exponent - mantissaBits, leastExponent());
    long units = (long) Math.rint(Math.scalb(magnitude, -unit));
    return ((long) (unit - leastExponent()) << mantissaBits) + units;
  }
}
