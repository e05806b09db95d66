// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.nio.ByteBuffer;

/** Small whole numbers as elements of a type. */
final class Elements {
  private static final int HALF_EXPONENT_SHIFT = 112; // 127 - 15, the biases of f32 and f16

  private Elements() {}

  /**
   * The largest n such that every whole number from -n (or 0) to n is an element of {@code type}.
   */
  static long exactLimit(DataType type) {
    return switch (type) {
      case I8 -> Byte.MAX_VALUE;
      case U8 -> 255;
      case BF16 -> 256;
      case F16 -> 2048;
      case I16 -> Short.MAX_VALUE;
      case U16 -> 65_535;
      case I32, U32, I64, U64, F32, F64 -> 1 << 24;
      case BOOL, F8E4M3, F8E5M2 ->
          throw new UsageException(
              "the benchmark has no exact data for " + type.text() + "; choose another --type");
    };
  }

  /** Whether {@code type} has negative elements. */
  static boolean isSigned(DataType type) {
    return switch (type) {
      case U8, U16, U32, U64, BOOL -> false;
      case I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3, F8E5M2 -> true;
    };
  }

  /** Appends {@code value}, which {@link #exactLimit} allows, to {@code out}. */
  static void put(ByteBuffer out, DataType type, long value) {
    switch (type.sizeBytes()) {
      case 1 -> out.put((byte) value);
      case 2 -> out.putShort(bits16(type, value));
      case 4 ->
          out.putInt(type == DataType.F32 ? Float.floatToRawIntBits((float) value) : (int) value);
      default ->
          out.putLong(type == DataType.F64 ? Double.doubleToRawLongBits((double) value) : value);
    }
  }

  private static short bits16(DataType type, long value) {
    return switch (type) {
      case BF16 -> (short) (Float.floatToRawIntBits((float) value) >>> 16);
      case F16 -> half(Float.floatToRawIntBits((float) value));
      case I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, BOOL, F8E4M3, F8E5M2 -> (short) value;
    };
  }

  /** The f16 that equals the f32 with these bits: zero, or a number both types hold exactly. */
  private static short half(int bits) {
    if (bits == 0) {
      return 0;
    }
    int exponent = ((bits >>> 23) & 0xff) - HALF_EXPONENT_SHIFT;
    return (short) (((bits >>> 16) & 0x8000) | (exponent << 10) | ((bits >>> 13) & 0x3ff));
  }
}
