// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Combiner;
import io.tombolo.runtime.plan.Reduction;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The host's arithmetic, by the agent's thread (here, the test's) and by reducer threads. */
public class HostEngineTest {
  /** Several slices for each thread, and a rest. */
  private static final int STEP_BYTES = (1 << 20) + 200;

  private static final long MAX_MS = 120_000;
  private static final long SEED = TestSeed.drawn();
  private static final Reduction SUM = new Reduction.By(ReduceOp.SUM);

  @DataProvider
  public Object[][] types() {
    return Arrays.stream(DataType.values())
        .map(type -> new Object[] {type})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "types")
  public void shouldGiveTheSameBitsWhoeverDoesTheSlices(DataType type) {
    for (ReduceOp op : ReduceOp.values()) {
      if (op.appliesTo(type)) {
        checkSameBits(type, bench -> bench.combine(0, STEP_BYTES, STEP_BYTES, by(op)));
      }
    }
    if (ReduceOp.AVG.appliesTo(type)) {
      checkSameBits(type, bench -> new Action.Divide(bench.range(0, STEP_BYTES), 3));
      checkSameBits(type, bench -> new Action.Scale(bench.range(0, STEP_BYTES), 3));
    }
    Reduction own = new Reduction.UserDefined("xor", HostEngineTest::xor);
    checkSameBits(type, bench -> bench.combine(0, STEP_BYTES, STEP_BYTES, own));
  }

  private interface Work {
    Action on(ArithmeticBench bench);
  }

  private static Reduction by(ReduceOp op) {
    return new Reduction.By(op);
  }

  private static void checkSameBits(DataType type, Work work) {
    byte[] here = resultOf(type, work, 0);
    byte[] elsewhere = resultOf(type, work, 3);
    assertEquals(Arrays.mismatch(here, elsewhere), -1, type + ", seed " + SEED);
  }

  private static byte[] resultOf(DataType type, Work work, int threads) {
    try (Reducers reducers = new Reducers(threads);
        ArithmeticBench bench = new ArithmeticBench(type, reducers, 2 * STEP_BYTES, SEED)) {
      bench.run(work.on(bench));
      return bench.stage().get(0, 2 * STEP_BYTES);
    }
  }

  private static void xor(ByteBuffer left, ByteBuffer right, ByteBuffer into, DataType type) {
    for (int i = 0; i < into.capacity(); i++) {
      into.put(i, (byte) (left.get(i) ^ right.get(i)));
    }
  }

  /** A slice that is done twice adds twice, and one that is forgotten never ends. */
  @Test(timeOut = MAX_MS)
  public void shouldDoEachSliceOnceWithManyStepsUnderWay() {
    int lanes = 5;
    int rounds = 40;
    int half = lanes * STEP_BYTES;
    Random random = new Random(SEED);
    int[] started = new int[lanes];
    try (Reducers reducers = new Reducers(3);
        ArithmeticBench bench = new ArithmeticBench(DataType.I32, reducers, 2 * half, SEED)) {
      byte[] before = bench.stage().get(0, 2 * half);
      while (Arrays.stream(started).anyMatch(count -> count < rounds)) {
        int lane = random.nextInt(lanes);
        int at = lane * STEP_BYTES;
        if ((started[lane] == 0 || bench.hasEnded(lane))
            && started[lane] < rounds
            && bench.tryStart(lane, bench.combine(at, half + at, STEP_BYTES, SUM))) {
          started[lane]++;
        }
        bench.poll();
      }
      while (Arrays.stream(new int[] {0, 1, 2, 3, 4}).anyMatch(lane -> !bench.hasEnded(lane))) {
        bench.poll();
      }
      checkSums(before, bench.stage().view(0, 2 * half), half, rounds);
    }
  }

  private static void checkSums(byte[] before, ByteBuffer after, int half, int rounds) {
    ByteBuffer old = ByteBuffer.wrap(before).order(after.order());
    for (int at = 0; at < half; at += Integer.BYTES) {
      int sum = old.getInt(at) + rounds * old.getInt(half + at);
      assertEquals(after.getInt(at), sum, "at byte " + at + ", seed " + SEED);
    }
  }

  @DataProvider
  public Object[][] throwables() {
    return new Object[][] {{new IllegalStateException("no")}, {new StackOverflowError("deep")}};
  }

  @Test(dataProvider = "throwables")
  public void shouldThrowWhatASliceThrew(Throwable cause) {
    AtomicInteger calls = new AtomicInteger();
    Combiner failing =
        (left, right, into, type) -> {
          if (calls.incrementAndGet() == 3) {
            HostEngineTest.<RuntimeException>raise(cause);
          }
        };
    try (Reducers reducers = new Reducers(2);
        ArithmeticBench bench = bench(reducers)) {
      Reduction own = new Reduction.UserDefined("failing", failing);
      Action action = bench.combine(0, STEP_BYTES, STEP_BYTES, own);
      assertSame(expectThrows(Throwable.class, () -> bench.run(action)), cause);
      assertEquals(calls.get(), 3, "slices after the one that failed");
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void raise(Throwable cause) throws T {
    throw (T) cause;
  }

  private static ArithmeticBench bench(Reducers reducers) {
    return new ArithmeticBench(DataType.U8, reducers, 2 * STEP_BYTES, SEED);
  }

  @Test(timeOut = MAX_MS)
  public void shouldCallTheUsersFunctionOnceAtATimeInOrder() {
    AtomicInteger callers = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Combiner watchful =
        (left, right, into, type) -> {
          most.accumulateAndGet(callers.incrementAndGet(), Math::max);
          xor(left, right, into, type);
          callers.decrementAndGet();
        };
    Reduction own = new Reduction.UserDefined("watchful", watchful);
    try (Reducers reducers = new Reducers(3);
        ArithmeticBench one = bench(reducers);
        ArithmeticBench other = bench(reducers)) {
      for (int id = 0; id < 4; id++) {
        assertTrue(one.tryStart(id, one.combine(0, STEP_BYTES, STEP_BYTES, own)));
        assertTrue(other.tryStart(id, other.combine(0, STEP_BYTES, STEP_BYTES, own)));
      }
      while (!one.hasEnded(3) || !other.hasEnded(3)) {
        one.poll();
        other.poll();
      }
      assertEquals(most.get(), 1);
    }
  }

  @Test
  public void shouldKeepSmallStepsOnTheAgentsThread() {
    Thread[] by = new Thread[1];
    try (Reducers reducers = new Reducers(2);
        ArithmeticBench bench = bench(reducers)) {
      bench.run(bench.combine(0, STEP_BYTES, 64 << 10, SUM));
      assertEquals(reducers.started(), 0);
      bench.run(bench.combine(0, STEP_BYTES, (64 << 10) + 1, SUM));
      assertEquals(reducers.started(), 1);
      Reduction own =
          new Reduction.UserDefined(
              "who", (left, right, into, type) -> by[0] = Thread.currentThread());
      bench.run(bench.combine(0, STEP_BYTES, 8, own));
      assertTrue(by[0].getName().startsWith("tombolo-reducer-"), by[0].getName());
    }
    assertTrue(!by[0].isAlive());
  }

  @DataProvider
  public Object[][] shares() {
    return new Object[][] {
      {1, 1, 0}, {2, 2, 0}, {2, 1, 1}, {4, 2, 1}, {16, 2, 4}, {64, 8, 4}, {2, 9, 0}
    };
  }

  @Test(dataProvider = "shares")
  public void shouldLeaveACoreToEachAgent(int cores, int ranks, int threads) {
    assertEquals(Reducers.threadsFor(cores, ranks), threads);
  }
}
