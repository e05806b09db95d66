// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.CloseStack;
import io.tombolo.emulated.hca.EmulatedHca;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/**
 * Writes that come when their key has long got another meaning: a NIC has 8 bits of each key to
 * change, this one has one, so that a slot has the same key again within some milliseconds.
 */
public final class StrayWritesTest {
  private static final int MESSAGES = 1500;
  private static final int IN_FLIGHT = 64;
  private static final int SIZE = 12_000;

  /** Looks until a copy is done, at most: so long bytes lie where strays may land. */
  private static final int SLOW = 30;

  @AfterMethod
  public void asBefore() {
    for (String fault : new String[] {"STRAY_PERCENT", "STRAY_US", "TAG_BITS"}) {
      EmulatedHca.set(fault, "0");
    }
  }

  @Test(timeOut = 120_000)
  public void shouldDeliverNoByteOfAnotherMessageWhenKeysRepeat() {
    EmulatedHca.set("TAG_BITS", "1");
    EmulatedHca.set("STRAY_PERCENT", "2");
    EmulatedHca.set("STRAY_US", "900000");
    long seed = Long.getLong("tombolo.seed", 38);
    Random random = new Random(seed);
    try (CloseStack stack = new CloseStack();
        FabricPair pair = new FabricPair(Kind.EMU_UC, SlotGeometry.DEFAULT)) {
      TestMemory[] sources = memories(stack, random);
      TestMemory[] targets = memories(stack, random);
      Log low = new Log();
      Log high = new Log();
      for (int tag = 0; tag < MESSAGES; tag++) {
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
    }
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
