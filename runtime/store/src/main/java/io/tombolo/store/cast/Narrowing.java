// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.cast;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.errors.UsageException;

/** Floating-point numbers in host memory as narrower ones, and back; arithmetic is in C. */
public final class Narrowing {
  static {
    NativeLibrary.load(Narrowing.class, "tombolo_store");
  }

  private Narrowing() {}

  /**
   * Divides {@code count} numbers by {@code scale}, and rounds them to the nearest.
   *
   * @param from the type of those at address {@code source}: any floating-point type
   * @param to the type of those that will be at {@code target}: one of 16 or 8 bits
   */
  public static void narrow(
      DataType from, long source, DataType to, long target, long count, float scale) {
    check(narrow0(from.code(), source, to.code(), target, count, scale), from, to);
  }

  /** Makes {@code count} numbers f32, and multiplies them by {@code scale}. */
  public static void widen(DataType from, long source, long target, long count, float scale) {
    check(widen0(from.code(), source, target, count, scale), from, DataType.F32);
  }

  /**
   * What numbers are to be divided by, so that the largest finite magnitude among them becomes the
   * largest number of type {@code to}; 1 if that cannot be.
   */
  public static float scaleOf(DataType from, long source, DataType to, long count) {
    double largest = largest0(from.code(), source, count);
    check(largest < 0 ? -1 : 0, from, to);
    double scale = largest / largestOf(to);
    boolean isNormal = scale >= Float.MIN_NORMAL && scale <= Float.MAX_VALUE;
    return isNormal ? (float) scale : 1;
  }

  private static double largestOf(DataType type) {
    return switch (type) {
      case F16 -> 65_504;
      case BF16 -> Float.intBitsToFloat(0x7f7f_0000);
      case F8E4M3 -> 448;
      case F8E5M2 -> 57_344;
      case I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, BOOL ->
          throw new UsageException("no numbers are scaled to " + type.text());
    };
  }

  private static void check(int result, DataType from, DataType to) {
    if (result != 0) {
      throw new UsageException("%s is not made %s".formatted(from.text(), to.text()));
    }
  }

  private static native int narrow0(
      int from, long source, int to, long target, long count, float scale);

  private static native int widen0(int from, long source, long target, long count, float scale);

  private static native double largest0(int from, long source, long count);
}
