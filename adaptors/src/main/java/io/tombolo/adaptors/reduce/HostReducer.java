package io.tombolo.adaptors.reduce;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import java.util.Arrays;

/**
 * Element-wise reductions of host memory with the widest vector instructions the processor has.
 *
 * <p>Every level gives the same bits:
 *
 * <ul>
 *   <li>floating point rounds to nearest even and keeps subnormals, whatever mode the calling
 *       thread is in;
 *   <li>every NaN result is the canonical quiet NaN: sign 0, only the top mantissa bit set;
 *   <li>minimum and maximum are those of IEEE 754-2019 §9.6, and of {@link Math#min(float, float)}:
 *       a NaN operand gives NaN, and -0 &lt; +0;
 *   <li>f16 and bf16 are computed in f32 and rounded once;
 *   <li>integers wrap, and their division truncates toward zero.
 * </ul>
 *
 * <p>Immutable and thread-safe. Addresses are host addresses, multiples of the element's size, of
 * memory that the caller keeps valid during the call; they are not checked. The destination may be
 * an operand itself; any other overlap gives undefined values. Calls return when the work is done.
 */
public final class HostReducer {
  /** The most that {@link #divide} divides by: each whole number up to this is exact in f32. */
  public static final int MAX_DIVISOR = 1 << 24;

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

  /** Whether elements of {@code type} can be reduced: all but bool and the 8-bit floats. */
  public boolean supports(DataType type) {
    return switch (type) {
      case BOOL, F8E4M3, F8E5M2 -> false;
      default -> true;
    };
  }

  /**
   * Sets {@code destination[i] = a[i] op b[i]} for {@code count} elements of {@code type}. {@link
   * ReduceOp#AVG} adds: a partial average is a sum, which {@link #divide} ends.
   *
   * @throws UnsupportedException if {@code type} is not {@linkplain #supports supported}
   */
  public void reduce(ReduceOp op, DataType type, long destination, long a, long b, long count) {
    check(type, count);
    ReduceOp step = op == ReduceOp.AVG ? ReduceOp.SUM : op;
    ensureDone(reduce0(level.code(), step.code(), type.code(), destination, a, b, count), type);
  }

  /**
   * Sets {@code destination[i] = source[i] / divisor} for {@code count} elements of {@code type}:
   * the last step of an average over {@code divisor} ranks. Floating point is divided (not
   * multiplied by a reciprocal) and rounded once.
   *
   * @param divisor from 1 to {@link #MAX_DIVISOR}
   * @throws UnsupportedException if {@code type} is not {@linkplain #supports supported}
   */
  public void divide(DataType type, long destination, long source, long count, int divisor) {
    check(type, count);
    checkArgument(
        divisor >= 1 && divisor <= MAX_DIVISOR, "a divisor is 1 … %s: %s", MAX_DIVISOR, divisor);
    ensureDone(divide0(level.code(), type.code(), destination, source, count, divisor), type);
  }

  private void check(DataType type, long count) {
    checkArgument(count >= 0 && count <= Long.MAX_VALUE / type.sizeBytes(), "%s elements", count);
    if (!supports(type)) {
      throw new UnsupportedException(
          "the host cannot reduce elements of " + type.text() + "; convert them to f32 first");
    }
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
}
