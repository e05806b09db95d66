// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.reduce;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Every level against the {@link Oracle}, bit by bit. */
public final class HostReducerTest {
  private static final int SEED = 20_170_905;
  private static final int[] DIVISORS = {1, 3, 4, 1000, HostReducer.MAX_DIVISOR};

  /** Bits that are special in some type: zeros, ones, infinities, NaNs, subnormals, extremes. */
  private static final long[] SPECIAL = {
    0x0L,
    0x1L,
    0x8000L,
    0x7c00L,
    0xfc00L,
    0x7c01L,
    0xfe01L,
    0x7f80L,
    0xff80L,
    0x7fc1L,
    0x3c00L,
    0x3ffL,
    0x7fffL,
    0xffffL,
    0x3f80_0000L,
    0x8000_0000L,
    0x7f80_0000L,
    0xff80_0000L,
    0x7fa0_0001L,
    0xffc0_0001L,
    0x0080_0000L,
    0x7f7f_ffffL,
    0x3ff0_0000_0000_0000L,
    0x8000_0000_0000_0000L,
    0x7ff0_0000_0000_0000L,
    0xfff0_0000_0000_0000L,
    0x7ff4_0000_0000_0001L,
    0xfff8_0000_0000_0001L,
    -1L,
  };

  @DataProvider
  public static Object[][] levelsAndTypes() {
    return levelsAnd(type -> true);
  }

  @DataProvider
  public static Object[][] levelsAndTypesOfTwoBytes() {
    return levelsAnd(type -> type.sizeBytes() == 2);
  }

  @DataProvider
  public static Object[][] levelsAndTypesOfOneByte() {
    return levelsAnd(type -> type.sizeBytes() == 1);
  }

  private static Object[][] levelsAnd(Predicate<DataType> types) {
    return HostReducer.levels().stream()
        .flatMap(
            level ->
                Arrays.stream(DataType.values())
                    .filter(types)
                    .map(type -> new Object[] {level, type}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "levelsAndTypes")
  public void shouldAgreeWithTheOracleWhenOperandsAreRandomOrSpecial(
      SimdLevel level, DataType type) {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] a = operands(random);
    long[] b = operands(random);
    check(level, type, a, b);
  }

  @Test(dataProvider = "levelsAndTypes")
  public void shouldAgreeWithTheOracleWhenEverySpecialMeetsEverySpecial(
      SimdLevel level, DataType type) {
    int n = SPECIAL.length;
    long[] a = new long[n * n];
    long[] b = new long[n * n];
    Arrays.setAll(a, i -> SPECIAL[i / n]);
    Arrays.setAll(b, i -> SPECIAL[i % n]);
    check(level, type, a, b);
  }

  @Test(dataProvider = "levelsAndTypesOfTwoBytes")
  public void shouldConvertEveryPatternRightWhenTheTypeHasSixteenBits(
      SimdLevel level, DataType type) {
    long[] others = {0, 1, 0x3c00, 0x3f80, 0x8400, 0x7bff, 0x7f7f, 0x0c01};
    long[] a = new long[1 << 16];
    long[] b = new long[1 << 16];
    Arrays.setAll(a, i -> i);
    Arrays.setAll(b, i -> others[(i ^ i >> 8) & 7]);
    check(level, type, a, b);
  }

  @Test(dataProvider = "levelsAndTypesOfOneByte")
  public void shouldCombineEveryPairRightWhenTheTypeHasEightBits(SimdLevel level, DataType type) {
    long[] a = new long[1 << 16];
    long[] b = new long[1 << 16];
    Arrays.setAll(a, i -> i & 0xff);
    Arrays.setAll(b, i -> i >> 8);
    check(level, type, a, b);
  }

  @Test
  public void shouldOfferTheBaselineAndTheBestWhenAsked() {
    List<SimdLevel> levels = HostReducer.levels();
    assertEquals(levels.get(0), SimdLevel.BASELINE);
    assertEquals(HostReducer.best().level(), levels.get(levels.size() - 1));
  }

  @Test
  public void shouldRefuseWhenTheOperatorDoesNotApplyToTheType() {
    HostReducer reducer = HostReducer.best();
    assertThrows(
        UsageException.class, () -> reducer.reduce(ReduceOp.AVG, DataType.BOOL, 0, 0, 0, 1));
    assertThrows(
        UsageException.class, () -> reducer.reduce(ReduceOp.BXOR, DataType.F8E4M3, 0, 0, 0, 1));
    assertThrows(UsageException.class, () -> reducer.divide(DataType.BOOL, 0, 0, 1, 2));
    assertThrows(UsageException.class, () -> reducer.scale(DataType.BOOL, 0, 0, 1, 2));
  }

  @Test
  public void shouldRefuseToScaleWholeNumbersByWhatIsNotOne() {
    HostReducer reducer = HostReducer.best();
    for (double factor : new double[] {0.5, Double.NaN, Double.POSITIVE_INFINITY, 0x1p54}) {
      assertThrows(UsageException.class, () -> reducer.scale(DataType.I32, 0, 0, 1, factor));
    }
  }

  @Test
  public void shouldRefuseWhenCountOrDivisorMakeNoSense() {
    HostReducer reducer = HostReducer.best();
    assertThrows(
        IllegalArgumentException.class,
        () -> reducer.reduce(ReduceOp.SUM, DataType.F32, 0, 0, 0, -1));
    assertThrows(IllegalArgumentException.class, () -> reducer.divide(DataType.F32, 0, 0, 1, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> reducer.divide(DataType.F32, 0, 0, 1, HostReducer.MAX_DIVISOR + 1));
  }

  @Test
  public void shouldTouchNothingWhenThereAreNoElements() {
    HostReducer.best().reduce(ReduceOp.MAX, DataType.F64, 0, 0, 0, 0);
    HostReducer.best().divide(DataType.I32, 0, 0, 0, 3);
    HostReducer.best().scale(DataType.BF16, 0, 0, 0, 3);
  }

  private static long[] operands(SplittableRandom random) {
    return random
        .longs(4099)
        .map(bits -> (bits & 7) == 0 ? SPECIAL[Math.floorMod(bits >> 8, SPECIAL.length)] : bits)
        .toArray();
  }

  private static void check(SimdLevel level, DataType type, long[] a, long[] b) {
    HostReducer reducer = HostReducer.at(level);
    int size = a.length * type.sizeBytes();
    try (NativeMemory left = NativeMemory.allocate(size);
        NativeMemory right = NativeMemory.allocate(size);
        NativeMemory out = NativeMemory.allocate(size)) {
      put(type, left.view(0, size), a);
      put(type, right.view(0, size), b);
      ByteBuffer result = out.view(0, size);
      for (ReduceOp op : Arrays.stream(ReduceOp.values()).filter(o -> o.appliesTo(type)).toList()) {
        reducer.reduce(op, type, out.address(), left.address(), right.address(), a.length);
        for (int i = 0; i < a.length; i++) {
          long expected = Oracle.combine(op, type, mask(type, a[i]), mask(type, b[i]));
          assertSame(get(type, result, i), expected, op.name(), level, type, a[i], b[i]);
        }
      }
      for (int divisor : type == DataType.BOOL ? new int[0] : DIVISORS) {
        reducer.divide(type, out.address(), left.address(), a.length, divisor);
        for (int i = 0; i < a.length; i++) {
          long expected = Oracle.divide(type, mask(type, a[i]), divisor);
          assertSame(get(type, result, i), expected, "divide", level, type, a[i], divisor);
        }
      }
      for (double factor : factors(type)) {
        reducer.scale(type, out.address(), left.address(), a.length, factor);
        for (int i = 0; i < a.length; i++) {
          long expected = Oracle.scale(type, mask(type, a[i]), factor);
          assertSame(get(type, result, i), expected, "scale by " + factor, level, type, a[i], 0);
        }
      }
    }
  }

  private static double[] factors(DataType type) {
    return switch (type.kind()) {
      case FLOATING -> new double[] {1, -0.0, 1.0 / 3, 1e-3, -2.5, 1e300, Double.NaN};
      case WHOLE -> new double[] {1, 0, 3, -1, 0x1p53};
      case BOOLEAN -> new double[0];
    };
  }

  private static void assertSame(
      long actual, long expected, String what, SimdLevel level, DataType type, long a, long b) {
    if (actual != expected) {
      throw new AssertionError(
          String.format(
              "%s of %s at %s of %x and %x: expected %x, got %x (seed %d)",
              what, type, level, a, b, expected, actual, SEED));
    }
  }

  private static long mask(DataType type, long bits) {
    return type.sizeBytes() == Long.BYTES ? bits : bits & ((1L << (type.sizeBytes() * 8)) - 1);
  }

  private static void put(DataType type, ByteBuffer memory, long[] elements) {
    for (long element : elements) {
      switch (type.sizeBytes()) {
        case 1 -> memory.put((byte) element);
        case 2 -> memory.putShort((short) element);
        case 4 -> memory.putInt((int) element);
        default -> memory.putLong(element);
      }
    }
  }

  private static long get(DataType type, ByteBuffer memory, int index) {
    int offset = index * type.sizeBytes();
    return switch (type.sizeBytes()) {
      case 1 -> memory.get(offset) & 0xffL;
      case 2 -> memory.getShort(offset) & 0xffffL;
      case 4 -> Integer.toUnsignedLong(memory.getInt(offset));
      default -> memory.getLong(offset);
    };
  }
}
