package io.tombolo.adaptors.reduce;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/**
 * The reductions once more, one element at a time, in plain Java. An element is its bits in a long.
 */
final class Oracle {
  private Oracle() {}

  static long combine(ReduceOp op, DataType type, long a, long b) {
    return switch (type) {
      case F64 -> bits(combine(op, Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
      case F32, F16, BF16 -> encode(type, combine(op, decode(type, a), decode(type, b)));
      default -> truncate(type, combineWhole(op, type, extend(type, a), extend(type, b)));
    };
  }

  static long divide(DataType type, long a, int divisor) {
    return switch (type) {
      case F64 -> bits(Double.longBitsToDouble(a) / divisor);
      case F32, F16, BF16 -> encode(type, decode(type, a) / divisor);
      case U64 -> Long.divideUnsigned(a, divisor);
      default -> truncate(type, extend(type, a) / divisor);
    };
  }

  private static double combine(ReduceOp op, double a, double b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  private static float combine(ReduceOp op, float a, float b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  private static long combineWhole(ReduceOp op, DataType type, long a, long b) {
    boolean less = type == DataType.U64 ? Long.compareUnsigned(a, b) < 0 : a < b;
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> less ? a : b;
      case MAX -> less ? b : a;
    };
  }

  /** The value of a whole number's bits; u64 stays as it is. */
  private static long extend(DataType type, long bits) {
    return switch (type) {
      case I8 -> (byte) bits;
      case I16 -> (short) bits;
      case I32 -> (int) bits;
      default -> truncate(type, bits);
    };
  }

  private static long truncate(DataType type, long value) {
    int size = type.sizeBytes() * Byte.SIZE;
    return size == Long.SIZE ? value : value & ((1L << size) - 1);
  }

  private static long bits(double value) {
    return Double.doubleToLongBits(value); // canonical NaN
  }

  static float decode(DataType type, long bits) {
    return switch (type) {
      case F32 -> Float.intBitsToFloat((int) bits);
      case BF16 -> Float.intBitsToFloat((int) bits << 16);
      case F16 -> (float) decodeHalf((int) bits);
      default -> throw new IllegalArgumentException(type.text());
    };
  }

  private static double decodeHalf(int bits) {
    int exponent = bits >> 10 & 0x1f;
    int mantissa = bits & 0x3ff;
    double magnitude;
    if (exponent == 0x1f) {
      magnitude = mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      magnitude = Math.scalb((double) mantissa, -24);
    } else {
      magnitude = Math.scalb(1024.0 + mantissa, exponent - 25);
    }
    return (bits & 0x8000) == 0 ? magnitude : -magnitude;
  }

  static long encode(DataType type, float value) {
    return switch (type) {
      case F32 -> Integer.toUnsignedLong(Float.floatToIntBits(value)); // canonical NaN
      case BF16 -> narrow(value, 8, -133, 127, 0x7f80);
      case F16 -> narrow(value, 11, -24, 15, 0x7c00);
      default -> throw new IllegalArgumentException(type.text());
    };
  }

  /**
   * Rounds by exact arithmetic on multiples of the target's unit in the last place.
   *
   * @param precision bits of the significand, the hidden one included
   * @param leastExponent exponent of the least subnormal
   * @param mostExponent exponent of the greatest finite number
   * @param infinity the bits of infinity
   */
  private static long narrow(
      float value, int precision, int leastExponent, int mostExponent, int infinity) {
    if (Float.isNaN(value)) {
      return infinity | 1L << (precision - 2);
    }
    long sign = (Float.floatToRawIntBits(value) >>> 31) * 0x8000L;
    double magnitude = Math.abs((double) value);
    if (magnitude == 0 || Double.isInfinite(magnitude)) {
      return sign | (magnitude == 0 ? 0 : infinity);
    }
    int ulp = Math.max(Math.getExponent(magnitude) - precision + 1, leastExponent);
    double units = Math.rint(Math.scalb(magnitude, -ulp));
    double rounded = Math.scalb(units, ulp);
    if (Math.getExponent(rounded) > mostExponent) {
      return sign | infinity;
    }
    // Consecutive floats have consecutive bits: count from the binade's first, or from zero.
    long binade = ulp == leastExponent ? 0 : (long) (ulp - leastExponent) << (precision - 1);
    return sign | (binade + (long) units);
  }
}
