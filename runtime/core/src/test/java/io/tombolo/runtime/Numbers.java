// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.DataType;
import java.nio.ByteBuffer;

/**
 * Reads and writes small whole numbers as elements of any type; exact where the type can hold them.
 */
final class Numbers {
  private Numbers() {}

  static void put(ByteBuffer bytes, DataType type, int index, int value) {
    int at = index * type.sizeBytes();
    switch (type) {
      case F32 -> bytes.putFloat(at, value);
      case F64 -> bytes.putDouble(at, value);
      case I8, U8 -> bytes.put(at, (byte) value);
      case I16, U16 -> bytes.putShort(at, (short) value);
      case I32, U32 -> bytes.putInt(at, value);
      case I64, U64 -> bytes.putLong(at, value);
      case BF16 -> bytes.putShort(at, (short) (Float.floatToRawIntBits(value) >>> 16));
      case F16 -> bytes.putShort(at, half(value));
      case BOOL, F8E4M3, F8E5M2 -> throw new IllegalArgumentException(type.text());
    }
  }

  static double get(ByteBuffer bytes, DataType type, int index) {
    int at = index * type.sizeBytes();
    return switch (type) {
      case F32 -> bytes.getFloat(at);
      case F64 -> bytes.getDouble(at);
      case I8 -> bytes.get(at);
      case U8 -> bytes.get(at) & 0xFF;
      case I16 -> bytes.getShort(at);
      case U16 -> bytes.getShort(at) & 0xFFFF;
      case I32 -> bytes.getInt(at);
      case U32 -> bytes.getInt(at) & 0xFFFF_FFFFL;
      case I64, U64 -> bytes.getLong(at);
      case BF16 -> Float.intBitsToFloat(bytes.getShort(at) << 16);
      case F16 -> fromHalf(bytes.getShort(at));
      case BOOL, F8E4M3, F8E5M2 -> throw new IllegalArgumentException(type.text());
    };
  }

  /** IEEE 754 binary16 of a whole number from 0 to 2048. */
  private static short half(int value) {
    if (value == 0) {
      return 0;
    }
    int exponent = 31 - Integer.numberOfLeadingZeros(value);
    return (short) ((exponent + 15) << 10 | (value << (10 - exponent) & 0x3FF));
  }

  private static double fromHalf(short bits) {
    int exponent = bits >> 10 & 0x1F;
    return exponent == 0 ? 0 : Math.scalb(1 + (bits & 0x3FF) / 1024.0, exponent - 15);
  }
}
