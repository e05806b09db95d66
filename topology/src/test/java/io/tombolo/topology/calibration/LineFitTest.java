// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.topology.machine.LinkCost;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.testng.annotations.Test;

public class LineFitTest {
  private static final List<Long> SIZES = List.of(8L, 4_096L, 65_536L, 524_288L, 2_097_152L);

  private static SortedMap<Long, Long> times(LinkCost cost) {
    SortedMap<Long, Long> times = new TreeMap<>();
    SIZES.forEach(size -> times.put(size, cost.timePs(size) / 1_000));
    return times;
  }

  @Test
  public void shouldFindTheLineThatTimesWereMadeFrom() {
    long seed = Long.getLong("tombolo.seed", System.nanoTime());
    System.out.println("to repeat: -Dtombolo.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      LinkCost truth = new LinkCost(random.nextInt(1_000_000_000), 1 + random.nextInt(20_000));
      LinkCost found = LineFit.of(times(truth));
      assertTrue(
          Math.abs(found.latencyPs() - truth.latencyPs()) <= 10_000, truth + ", found " + found);
      assertTrue(
          Math.abs(found.megabytesPerSecond() - truth.megabytesPerSecond())
              <= 1 + truth.megabytesPerSecond() / 100,
          truth + ", found " + found);
    }
  }

  @Test
  public void shouldNotBelieveOneSizeThatWasDisturbed() {
    LinkCost truth = new LinkCost(5_000_000, 1_000);
    for (long disturbed : SIZES.subList(1, 4)) {
      SortedMap<Long, Long> times = times(truth);
      times.merge(disturbed, 20_000_000L, Long::sum);
      int found = LineFit.of(times).megabytesPerSecond();
      assertTrue(found > 900 && found < 1_100, disturbed + " disturbed: " + found);
    }
  }

  @Test
  public void shouldGiveACostWhateverTheClockSays() {
    SortedMap<Long, Long> flat = new TreeMap<>(Map.of(8L, 500L, 2_097_152L, 500L));
    assertEquals(LineFit.of(flat).latencyPs(), 500_000 - 2, "8 bytes take 2 ps");
    SortedMap<Long, Long> nothing = new TreeMap<>(Map.of(8L, 0L, 2_097_152L, 0L));
    assertEquals(LineFit.of(nothing).latencyPs(), 0);
    SortedMap<Long, Long> endless = new TreeMap<>(Map.of(8L, 1L, 2_097_152L, Long.MAX_VALUE));
    assertEquals(LineFit.of(endless).megabytesPerSecond(), 1);
    assertThrows(IllegalArgumentException.class, () -> LineFit.of(new TreeMap<>(Map.of(8L, 1L))));
  }
}
