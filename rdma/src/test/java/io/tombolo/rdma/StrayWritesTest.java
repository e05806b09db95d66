// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.emulated.hca.EmulatedHca;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Writes that come when their slot has long been another message's: a NIC has 8 bits of each key to
 * change, this one has one, so that a slot would have the same key again within some milliseconds.
 * With 8 bits there are 5000, 40 000 by {@code -Dtombolo.full=true}. {@code -Dtombolo.deep=true}
 * sends a million with 5 bits, which run out, and with 8.
 */
public final class StrayWritesTest {
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");
  private static final boolean FULL = Boolean.getBoolean("tombolo.full");
  private static final int IN_FLIGHT = 64;

  /**
   * Late writes without which nothing was tried: ordinary repeats come late, too, but not so many.
   * A busy machine needs more messages for them.
   */
  private static final int ENOUGH = 150;

  private static final int SOME = 1500;
  private static final int FEW = 5000;
  private static final int MORE = 40_000;
  private static final int MANY = 1_000_000;
  private static final int MOST = 3;
  private static final int SIZE = 12_000;

  /** Looks until a copy is done, at most: so long bytes lie where strays may land. */
  private static final int SLOW = 30;

  @AfterMethod
  public void asBefore() {
    for (String fault : new String[] {"STRAY_PERCENT", "STRAY_US", "TAG_BITS"}) {
      EmulatedHca.set(fault, "0");
    }
  }

  @DataProvider
  public Object[][] keys() {
    if (Kind.chosen(ImmutableList.of(Kind.EMU_UC)).isEmpty()) {
      return new Object[0][];
    }
    return DEEP
        ? new Object[][] {{1, SOME}, {5, MANY}, {8, MANY}}
        : new Object[][] {{1, SOME}, {8, FULL ? MORE : FEW}};
  }

  @Test(timeOut = 1_800_000, dataProvider = "keys")
  public void shouldDeliverNoByteOfAnotherMessageWhenKeysRepeat(int tagBits, int messages) {
    EmulatedHca.set("TAG_BITS", Integer.toString(tagBits));
    EmulatedHca.set("STRAY_PERCENT", "10");
    EmulatedHca.set("STRAY_US", "900000");
    long seed = Long.getLong("tombolo.seed", 38);
    Random random = new Random(seed);
    try (CloseStack stack = new CloseStack();
        FabricPair pair = new FabricPair(Kind.EMU_UC, SlotGeometry.DEFAULT)) {
      TestMemory[] sources = memories(stack, random);
      TestMemory[] targets = memories(stack, random);
      Log low = new Log();
      Log high = new Log();
      long startNs = System.nanoTime();
      int tag = 0;
      for (; tag < messages || (fencedWrites(pair) < ENOUGH && tag < MOST * messages); tag++) {
        if (tag >= IN_FLIGHT) {
          int done = tag - IN_FLIGHT;
          pair.until(() -> isDone(pair, low, high, done));
          check(sources, targets, done, seed);
        }
        targets[tag % IN_FLIGHT].fill(0);
        sources[tag % IN_FLIGHT].fill(random.nextLong());
        assertTrue(pair.fromHigh.receive(tag, targets[tag % IN_FLIGHT], 0, SIZE));
        assertTrue(pair.fromLow.send(tag, sources[tag % IN_FLIGHT], 0, SIZE));
      }
      long fenced = fencedWrites(pair);
      System.out.printf(
          "%d-bit tags, %d messages in %d s: %d writes came under a key of the past, 0 wrong%n",
          tagBits, tag, (System.nanoTime() - startNs) / 1_000_000_000, fenced);
      assertTrue(fenced >= ENOUGH, "of " + tag + " messages only " + fenced + " writes came late");
    }
  }

  private static long fencedWrites(FabricPair pair) {
    return pair.fromHigh.protocolCounters().orElseThrow().fencedWrites;
  }

  private static TestMemory[] memories(CloseStack stack, Random random) {
    return Stream.generate(() -> stack.opened(new TestMemory(SIZE, SLOW, random.nextLong())))
        .limit(IN_FLIGHT)
        .toArray(TestMemory[]::new);
  }

  private static boolean isDone(FabricPair pair, Log low, Log high, int message) {
    pair.fromLow.poll(low);
    pair.fromHigh.poll(high);
    return low.sent.size() > message && high.received.size() > message;
  }

  private static void check(TestMemory[] sources, TestMemory[] targets, int tag, long seed) {
    assertTrue(
        Arrays.equals(targets[tag % IN_FLIGHT].get(0, SIZE), sources[tag % IN_FLIGHT].get(0, SIZE)),
        "message " + tag + " has foreign bytes, seed " + seed);
  }
}
