// SPDX-License-Identifier: Apache-2.0
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
      case F32, F16, BF16, F8E4M3, F8E5M2 ->
          SmallFloat.encode(
              type, combine(op, SmallFloat.decode(type, a), SmallFloat.decode(type, b)));
      case BOOL -> combine(op, a != 0, b != 0) ? 1 : 0;
      case I8, U8, I16, U16, I32, U32, I64, U64 ->
          truncate(type, combineWhole(op, type, extend(type, a), extend(type, b)));
    };
  }

  static long divide(DataType type, long a, int divisor) {
    return switch (type) {
      case F64 -> bits(Double.longBitsToDouble(a) / divisor);
      case F32, F16, BF16, F8E4M3, F8E5M2 ->
          SmallFloat.encode(type, SmallFloat.decode(type, a) / divisor);
      case U64 -> Long.divideUnsigned(a, divisor);
      case I8, U8, I16, U16, I32, U32, I64, BOOL -> truncate(type, extend(type, a) / divisor);
    };
  }

  static long scale(DataType type, long a, double factor) {
    return switch (type) {
      case F64 -> bits(Double.longBitsToDouble(a) * factor);
      case F32, F16, BF16, F8E4M3, F8E5M2 ->
          SmallFloat.encode(type, SmallFloat.decode(type, a) * (float) factor);
      case I8, U8, I16, U16, I32, U32, I64, U64, BOOL ->
          truncate(type, extend(type, a) * (long) factor);
    };
  }

  private static double combine(ReduceOp op, double a, double b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case BAND, BOR, BXOR -> throw new IllegalArgumentException(op.text());
    };
  }

  private static float combine(ReduceOp op, float a, float b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case BAND, BOR, BXOR -> throw new IllegalArgumentException(op.text());
    };
  }

  private static boolean combine(ReduceOp op, boolean a, boolean b) {
    return switch (op) {
      case SUM, MAX, BOR -> a || b;
      case PROD, MIN, BAND -> a && b;
      case BXOR -> a != b;
      case AVG -> throw new IllegalArgumentException(op.text());
    };
  }

  private static long combineWhole(ReduceOp op, DataType type, long a, long b) {
    boolean less = type == DataType.U64 ? Long.compareUnsigned(a, b) < 0 : a < b;
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> less ? a : b;
      case MAX -> less ? b : a;
      case BAND -> a & b;
      case BOR -> a | b;
      case BXOR -> a ^ b;
    };
  }

  /** The value of a whole number's bits; u64 stays as it is. */
  private static long extend(DataType type, long bits) {
    return switch (type) {
      case I8 -> (byte) bits;
      case I16 -> (short) bits;
      case I32 -> (int) bits;
      case I64, U8, U16, U32, U64, F16, BF16, F32, F64, BOOL, F8E4M3, F8E5M2 ->
          truncate(type, bits);
    };
  }

  private static long truncate(DataType type, long value) {
    int size = type.sizeBytes() * Byte.SIZE;
    return size == Long.SIZE ? value : value & ((1L << size) - 1);
  }

  private static long bits(double value) {
    return Double.doubleToLongBits(value); // canonical NaN
  }
}
