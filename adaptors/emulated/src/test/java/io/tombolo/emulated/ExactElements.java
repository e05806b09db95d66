// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An oracle of its own for reductions: inputs whose every intermediate result is exact (or wraps,
 * for integers), and their results as bytes. ExactElements are longs; a float element holds a whole
 * number.
 */
final class ExactElements {
  private final DataType type;

  ExactElements(DataType type) {
    this.type = type;
  }

  /**
   * Member {@code rank}'s contribution number {@code index} among {@code size} members; the same
   * for the same arguments.
   */
  long value(int rank, int index, ReduceOp op, int size) {
    long random = mix(rank * 1_000_003L + index * 31L + op.code() * 7L + type.code());
    if (op == ReduceOp.AVG && !isInteger() && type.sizeBytes() == 1) {
      return mix(index) & 1; // the same at all members: larger sums are not exact
    }
    if (op == ReduceOp.AVG) {
      return Math.floorMod(random, 8L) * size;
    }
    if (type == DataType.BOOL) {
      return random & 1;
    }
    if (isInteger()) {
      return random;
    }
    return switch (op) {
      case SUM ->
          type.sizeBytes() == 1 ? Math.floorMod(random, 3L) : Math.floorMod(random, 17L) - 8;
      case PROD -> 1 + Math.floorMod(random, 2L);
      case MIN, MAX, AVG, BAND, BOR, BXOR -> Math.floorMod(random, 17L) - 8;
    };
  }

  /** The members' elements combined, in member order. */
  long combine(ReduceOp op, long... members) {
    long result = members[0];
    for (int i = 1; i < members.length; i++) {
      result = type == DataType.BOOL ? bools(op, result, members[i]) : pair(op, result, members[i]);
    }
    return op == ReduceOp.AVG ? result / members.length : result;
  }

  private long pair(ReduceOp op, long a, long b) {
    return switch (op) {
      case SUM, AVG -> a + b;
      case PROD -> a * b;
      case MIN -> isLess(b, a) ? b : a;
      case MAX -> isLess(a, b) ? b : a;
      case BAND -> a & b;
      case BOR -> a | b;
      case BXOR -> a ^ b;
    };
  }

  private static long bools(ReduceOp op, long a, long b) {
    return switch (op) {
      case SUM, MAX, BOR -> Math.max(a, b);
      case PROD, MIN, BAND -> Math.min(a, b);
      case BXOR -> a ^ b;
      case AVG -> throw new AssertionError(op);
    };
  }

  /** The elements as the type lays them out. */
  byte[] encode(long[] elements) {
    ByteBuffer bytes =
        ByteBuffer.allocate(elements.length * type.sizeBytes()).order(ByteOrder.LITTLE_ENDIAN);
    for (long element : elements) {
      put(bytes, element);
    }
    return bytes.array();
  }

  private void put(ByteBuffer bytes, long element) {
    switch (type) {
      case I8, U8, BOOL -> bytes.put((byte) element);
      case I16, U16 -> bytes.putShort((short) element);
      case I32, U32 -> bytes.putInt((int) element);
      case I64, U64 -> bytes.putLong(element);
      case F32 -> bytes.putFloat((float) element);
      case F64 -> bytes.putDouble((double) element);
      case F16 -> bytes.putShort((short) narrow(element, 5, 10));
      case BF16 -> bytes.putShort((short) narrow(element, 8, 7));
      case F8E4M3 -> bytes.put((byte) narrow(element, 4, 3));
      case F8E5M2 -> bytes.put((byte) narrow(element, 5, 2));
    }
  }

  /** A whole number that the format holds exactly, as sign, exponent and mantissa. */
  private static int narrow(long element, int exponentBits, int mantissaBits) {
    int sign = element < 0 ? 1 << (exponentBits + mantissaBits) : 0;
    long magnitude = Math.abs(element);
    if (magnitude == 0) {
      return sign;
    }
    int exponent = 63 - Long.numberOfLeadingZeros(magnitude);
    long mantissa = (magnitude << mantissaBits >> exponent) & ((1L << mantissaBits) - 1);
    int bias = (1 << (exponentBits - 1)) - 1;
    return sign | (exponent + bias) << mantissaBits | (int) mantissa;
  }

  private boolean isLess(long a, long b) {
    long left = truncated(a);
    long right = truncated(b);
    return type == DataType.U64 ? Long.compareUnsigned(left, right) < 0 : left < right;
  }

  /** The element's value in the type, where integers wrap. */
  private long truncated(long element) {
    return switch (type) {
      case I8 -> (byte) element;
      case U8 -> element & 0xff;
      case I16 -> (short) element;
      case U16 -> element & 0xffff;
      case I32 -> (int) element;
      case U32 -> element & 0xffff_ffffL;
      case I64, U64, F16, BF16, F32, F64, BOOL, F8E4M3, F8E5M2 -> element;
    };
  }

  private boolean isInteger() {
    return switch (type) {
      case F16, BF16, F32, F64, F8E4M3, F8E5M2 -> false;
      case I8, U8, I16, U16, I32, U32, I64, U64, BOOL -> true;
    };
  }

  /** SplitMix64's finaliser. */
  private static long mix(long seed) {
    long z = seed * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
