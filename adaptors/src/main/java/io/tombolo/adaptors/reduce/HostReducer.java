// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.reduce;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import java.util.Arrays;

/**
 * Element-wise reductions of host memory with the widest vector instructions the processor has.
 *
 * <p>Every level gives the same bits:
 *
 * <ul>
 *   <li>floating point rounds to nearest even and keeps subnormals, whatever mode the calling
 *       thread is in;
 *   <li>every NaN result is the canonical quiet NaN: sign 0, only the top mantissa bit set (e4m3's
 *       only NaN is 0x7f);
 *   <li>minimum and maximum are those of IEEE 754-2019 §9.6, and of {@link Math#min(float, float)}:
 *       a NaN operand gives NaN, and -0 &lt; +0;
 *   <li>f16, bf16 and the 8-bit floats are computed in f32 and rounded once; what is too large for
 *       e4m3, which has no infinity, becomes NaN, as in torch's conversion;
 *   <li>integers wrap, and their division truncates toward zero;
 *   <li>bools are logical (see {@link ReduceOp}), and their results are 0 or 1.
 * </ul>
 *
 * <p>Immutable and thread-safe. Addresses are host addresses, multiples of the element's size, of
 * memory that the caller keeps valid during the call; they are not checked. The destination may be
 * an operand itself; any other overlap gives undefined values. Calls return when the work is done.
 */
public final class HostReducer {
  /** The most that {@link #divide} divides by: each whole number up to this is exact in f32. */
  public static final int MAX_DIVISOR = 1 << 24;

  /** The largest magnitude by which {@link #scale} multiplies whole numbers: exact in a double. */
  public static final long MAX_WHOLE_FACTOR = 1L << 53;

  static {
    NativeLibrary.load(HostReducer.class, "tombolo_reduce");
  }

  private final SimdLevel level;

  private HostReducer(SimdLevel level) {
    this.level = level;
  }

  /** The levels this processor and this build offer, least first; never empty. */
  public static ImmutableList<SimdLevel> levels() {
    return Arrays.stream(SimdLevel.values())
        .filter(level -> available0(level.code()))
        .collect(ImmutableList.toImmutableList());
  }

  /** The reducer of the highest level offered. */
  public static HostReducer best() {
    ImmutableList<SimdLevel> levels = levels();
    return new HostReducer(levels.get(levels.size() - 1));
  }

  /** The reducer of {@code level}; an {@link UnavailableException} if it is not offered here. */
  public static HostReducer at(SimdLevel level) {
    if (!levels().contains(level)) {
      throw new UnavailableException(
          "this processor has no " + level.text() + "; choose one of " + levels());
    }
    return new HostReducer(level);
  }

  /** The level in use. */
  public SimdLevel level() {
    return level;
  }

  /**
   * Sets {@code destination[i] = a[i] op b[i]} for {@code count} elements of {@code type}. {@link
   * ReduceOp#AVG} adds: a partial average is a sum, which {@link #divide} ends.
   *
   * @throws UsageException if {@code op} does not {@linkplain ReduceOp#appliesTo apply} to {@code
   *     type}
   */
  public void reduce(ReduceOp op, DataType type, long destination, long a, long b, long count) {
    check(type, count);
    op.requireAppliesTo(type);
    ReduceOp step = op == ReduceOp.AVG ? ReduceOp.SUM : op;
    ensureDone(reduce0(level.code(), step.code(), type.code(), destination, a, b, count), type);
  }

  /**
   * Sets {@code destination[i] = source[i] / divisor} for {@code count} elements of {@code type}:
   * the last step of an average over {@code divisor} ranks. Floating point is divided (not
   * multiplied by a reciprocal) and rounded once.
   *
   * @param divisor from 1 to {@link #MAX_DIVISOR}
   * @throws UsageException for bool, which has no average
   */
  public void divide(DataType type, long destination, long source, long count, int divisor) {
    check(type, count);
    ReduceOp.AVG.requireAppliesTo(type);
    checkArgument(
        divisor >= 1 && divisor <= MAX_DIVISOR, "a divisor is 1 … %s: %s", MAX_DIVISOR, divisor);
    ensureDone(divide0(level.code(), type.code(), destination, source, count, divisor), type);
  }

  /**
   * Sets {@code destination[i] = source[i] × factor} for {@code count} elements of {@code type}:
   * the first step of a pre-multiplied sum. It is the type's own arithmetic: f64 in f64; all
   * narrower floats in f32, by the factor rounded to f32, and rounded once; whole numbers by a
   * whole number, and products wrap.
   *
   * @param factor for whole numbers: whole itself, and at most {@link #MAX_WHOLE_FACTOR} in
   *     magnitude
   * @throws UsageException for bool, and where whole numbers have a factor that is not
   */
  public void scale(DataType type, long destination, long source, long count, double factor) {
    check(type, count);
    switch (type.kind()) {
      case BOOLEAN -> throw new UsageException("bools cannot be scaled; use or or and instead");
      case WHOLE -> requireWhole(type, factor);
      case FLOATING -> {}
    }
    ensureDone(scale0(level.code(), type.code(), destination, source, count, factor), type);
  }

  private static void requireWhole(DataType type, double factor) {
    if (factor != Math.rint(factor) || Math.abs(factor) > MAX_WHOLE_FACTOR) {
      throw new UsageException(
          "elements of %s are scaled by whole numbers of at most 2^53, not by %s"
              .formatted(type.text(), factor));
    }
  }

  private static void check(DataType type, long count) {
    checkArgument(count >= 0 && count <= Long.MAX_VALUE / type.sizeBytes(), "%s elements", count);
  }

  private void ensureDone(int status, DataType type) {
    if (status != 0) {
      throw new UnsupportedException(
          "no " + level.text() + " kernel for " + type.text() + " (status " + status + ")");
    }
  }

  private static native boolean available0(int level);

  private static native int reduce0(
      int level, int op, int type, long destination, long a, long b, long count);

  private static native int divide0(
      int level, int type, long destination, long source, long count, int divisor);

  private static native int scale0(
      int level, int type, long destination, long source, long count, double factor);
}
