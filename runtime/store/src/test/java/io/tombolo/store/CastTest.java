// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;
import static org.testng.Assert.fail;

import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Tensors narrowed on their way, compared with the nearest numbers, which are found by search. */
public class CastTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int STEP = Boolean.getBoolean("tombolo.full") ? 4_999 : 49_999;

  private final JobToken token = JobToken.random();
  private Volume volume;
  private Holding holding;

  @BeforeMethod
  public void start() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(64 << 20, 1, LONG));
    holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  @DataProvider
  public static Object[][] types() {
    return new Object[][] {
      {DataType.F16}, {DataType.BF16}, {DataType.F8E4M3}, {DataType.F8E5M2},
    };
  }

  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldRoundToTheNearestOnAllWays(DataType type) {
    float[] values = floats();
    HostTensor wide = tensor(values);
    HostTensor steps = Tensors.counting(3, 2);
    Map<String, HostTensor> tensors = Map.of("w", wide, "steps", intsOf(steps));
    Cast cast = Cast.to(type);
    holding.show(
        1,
        Map.of("w", TensorPart.whole(wide), "steps", TensorPart.whole(intsOf(steps))),
        cast,
        LONG);
    NavigableMap<Double, Integer> numbers = numbers(type);
    for (boolean shared : new boolean[] {true, false}) {
      StoreOptions options = new StoreOptions(LONG, shared);
      try (TensorStore store = TensorStore.connect(volume.address(), token, options);
          TensorHolders holders = TensorHolders.connect(List.of(volume.address()), token, options);
          HeldSnapshot held = holders.await("policy", 0, LONG)) {
        store.putStateDict("alone", tensors, cast);
        store.putStateDictPart(
            "joint",
            new JointWriter("shared " + shared, 1, 0, LONG),
            Map.of("w", TensorPart.whole(wide), "steps", TensorPart.whole(intsOf(steps))),
            cast);
        try (Snapshot alone = store.openStateDict("alone");
            Snapshot joint = store.openStateDict("joint")) {
          for (TensorSnapshot snapshot : List.of(held, alone, joint)) {
            assertEquals(snapshot.spec("w").type(), type);
            assertEquals(snapshot.spec("steps").type(), DataType.I32);
            assertNearest(snapshot.get("w"), values, numbers);
            snapshot.verify("w");
          }
        }
      }
    }
  }

  @DataProvider
  public static Object[][] scaledTypes() {
    return new Object[][] {{DataType.F16}, {DataType.F8E4M3}, {DataType.F8E5M2}};
  }

  @Test(dataProvider = "scaledTypes", timeOut = 120_000)
  public void shouldKeepAScaleBesideWhatIsScaled(DataType type) {
    float[] values = {1e-3f, -0.0625f, 0.03f, 0, Float.POSITIVE_INFINITY, 7e-9f};
    double most = numbers(type).lastKey();
    float scale = (float) (0.0625 / most);
    HostTensor zeros = Tensors.constant(0, 3);
    holding.show(
        1,
        Map.of("w", TensorPart.whole(tensor(values)), "zero", TensorPart.whole(zeros)),
        Cast.to(type).withScales(),
        LONG);
    StoreOptions options = StoreOptions.defaults();
    try (TensorHolders holders = TensorHolders.connect(List.of(volume.address()), token, options);
        HeldSnapshot held = holders.await("policy", 0, LONG)) {
      assertEquals(Tensors.elements(held.get("w.scale")), new float[] {scale});
      float[] divided = new float[values.length];
      for (int index = 0; index < values.length; index++) {
        divided[index] = values[index] / scale;
      }
      assertNearest(held.get("w"), divided, numbers(type));
      float[] again = Tensors.elements(held.widened("w", held.spec("w").whole()));
      assertEquals(again[1], (float) (-most * scale));
      Box middle = Box.between(new long[] {1}, new long[] {3});
      assertEquals(Tensors.elements(held.widened("w", middle)), Arrays.copyOfRange(again, 1, 3));
      assertEquals(Tensors.elements(held.widened("zero", Box.whole(3))), new float[3]);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNarrowWhatIsNotOfF32() {
    HostTensor doubles = HostTensor.allocate(DataType.F64, 2);
    doubles.memory().view(0, 16).putDouble(0, 1 / 3.0).putDouble(8, -1e300);
    HostTensor halves = HostTensor.allocate(DataType.BF16, 1);
    halves.memory().view(0, 2).putShort(0, (short) 0x3fc1); // 1.5078125
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, StoreOptions.defaults())) {
      store.putStateDict("d", Map.of("f64", doubles, "bf16", halves), Cast.to(DataType.F8E5M2));
      try (Snapshot snapshot = store.openStateDict("d")) {
        float[] wide = Tensors.elements(snapshot.widened("f64", Box.whole(2)));
        assertEquals(wide, new float[] {0.3125f, Float.NEGATIVE_INFINITY});
        assertEquals(Tensors.elements(snapshot.widened("bf16", Box.whole(1)))[0], 1.5f);
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSendBlockAfterBlock() {
    float[] values = new float[300_000]; // of f8: more than a block
    for (int index = 0; index < values.length; index++) {
      values[index] = (index % 15) - index / 100_000;
    }
    StoreOptions options = new StoreOptions(LONG, false);
    try (TensorStore store = TensorStore.connect(volume.address(), token, options)) {
      store.putStateDict("d", Map.of("w", tensor(values)), Cast.to(DataType.F8E4M3));
      try (Snapshot snapshot = store.openStateDict("d")) {
        Box whole = snapshot.spec("w").whole();
        assertEquals(Tensors.elements(snapshot.widened("w", whole)), values);
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNeedTheScaleOfParts() {
    TensorSpec whole = TensorSpec.of(DataType.F32, 4);
    Box half = Box.between(new long[] {0}, new long[] {2});
    TensorPart part = new TensorPart(whole, half, Tensors.constant(3, 2));
    Cast cast = Cast.to(DataType.F8E4M3).withScales();
    UsageException none =
        expectThrows(UsageException.class, () -> holding.show(1, Map.of("w", part), cast, LONG));
    assertTrue(none.getMessage().contains("scale"), none.getMessage());
    holding.show(1, Map.of("w", part), cast.withScales(Map.of("w", 0.5f)), LONG);
    TensorPart same = TensorPart.whole(Tensors.constant(1, 1));
    UsageException twice =
        expectThrows(
            UsageException.class,
            () -> holding.show(2, Map.of("w", same, "w.scale", same), cast, LONG));
    assertTrue(twice.getMessage().contains("of that name"), twice.getMessage());
    expectThrows(UsageException.class, () -> Cast.to(DataType.F32));
  }

  /** Bit patterns all over the range, those in whose middle narrow types round, and neighbours. */
  private static float[] floats() {
    FloatBuffer all = FloatBuffer.allocate(1 << 20);
    for (long bits = Integer.MIN_VALUE; bits <= Integer.MAX_VALUE; bits += STEP) {
      all.put(Float.intBitsToFloat((int) bits));
    }
    for (int bits = 0; bits < 0x7f80; bits += 7) {
      for (int near = -1; near <= 1; near++) {
        all.put(Float.intBitsToFloat((bits << 16) + near))
            .put(-Float.intBitsToFloat((bits << 16) + (1 << 15) + near));
        all.put(Float.intBitsToFloat((bits << 16) + (1 << 12) + near));
      }
    }
    return Arrays.copyOf(all.array(), all.position());
  }

  private static HostTensor tensor(float[] values) {
    HostTensor tensor = HostTensor.allocate(DataType.F32, values.length);
    tensor.memory().view(0, values.length * Float.BYTES).asFloatBuffer().put(values);
    return tensor;
  }

  private static HostTensor intsOf(HostTensor floats) {
    return new HostTensor(new TensorSpec(DataType.I32, floats.spec().shape()), floats.memory(), 0);
  }

  /** The finite numbers of a type from 0 on, and their bit patterns. */
  private static NavigableMap<Double, Integer> numbers(DataType type) {
    int fractionBits =
        switch (type) {
          case F16 -> 10;
          case BF16 -> 7;
          case F8E4M3 -> 3;
          case F8E5M2 -> 2;
          case I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, BOOL ->
              throw new AssertionError(type);
        };
    int bits = type.sizeBytes() * 8 - 1;
    int exponents = 1 << (bits - fractionBits);
    int bias = exponents / 2 - 1;
    NavigableMap<Double, Integer> numbers = new TreeMap<>();
    int end = type == DataType.F8E4M3 ? (1 << bits) - 1 : (exponents - 1) << fractionBits;
    for (int pattern = 0; pattern < end; pattern++) {
      int exponent = pattern >> fractionBits;
      double fraction = (pattern & ((1 << fractionBits) - 1)) / (double) (1 << fractionBits);
      numbers.put(
          exponent == 0
              ? Math.scalb(fraction, 1 - bias)
              : Math.scalb(1 + fraction, exponent - bias),
          pattern);
    }
    return numbers;
  }

  private static void assertNearest(
      HostTensor got, float[] values, NavigableMap<Double, Integer> numbers) {
    try (NativeMemory memory = got.memory()) {
      ByteBuffer bytes = memory.view(0, (int) got.spec().sizeBytes());
      int size = got.spec().type().sizeBytes();
      int sign = 1 << (8 * size - 1);
      int beyond = numbers.lastEntry().getValue() + 1; // infinity, or the NaN of e4m3
      for (int index = 0; index < values.length; index++) {
        int pattern = size == 1 ? bytes.get(index) : bytes.getShort(2 * index);
        float value = values[index];
        int magnitude = pattern & (sign - 1);
        boolean isRight;
        if (Float.isNaN(value)) {
          isRight = got.spec().type() == DataType.F8E4M3 ? magnitude == beyond : magnitude > beyond;
        } else if (tooLarge(value, numbers)) {
          isRight = magnitude == beyond;
        } else {
          boolean isNegative = Float.floatToRawIntBits(value) < 0;
          isRight =
              magnitude == nearest(Math.abs((double) value), numbers)
                  && ((pattern & sign) != 0) == isNegative;
        }
        if (!isRight) {
          fail("%s (%08x) became %x".formatted(value, Float.floatToRawIntBits(value), pattern));
        }
      }
    }
  }

  private static boolean tooLarge(float value, NavigableMap<Double, Integer> numbers) {
    double last = numbers.lastKey();
    double step = last - numbers.lowerKey(last);
    double middle = last + step / 2;
    boolean lastIsEven = numbers.get(last) % 2 == 0;
    double magnitude = Math.abs((double) value);
    return magnitude > middle || (magnitude == middle && !lastIsEven);
  }

  private static int nearest(double magnitude, NavigableMap<Double, Integer> numbers) {
    Map.Entry<Double, Integer> below = numbers.floorEntry(magnitude);
    Map.Entry<Double, Integer> above = numbers.ceilingEntry(magnitude);
    if (above == null) {
      return below.getValue();
    }
    double down = magnitude - below.getKey();
    double up = above.getKey() - magnitude;
    boolean takesBelow = down < up || (down == up && below.getValue() % 2 == 0);
    return takesBelow ? below.getValue() : above.getValue();
  }
}
