// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import java.util.Optional;
import java.util.stream.LongStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole conversations under seeded faults: 2500 seeds, CI plays 10 000, {@code -Pdeep} 100 000. */
public class SimulationTest {
  private static final int SEEDS = Integer.getInteger("tombolo.sim.seeds", 2_500);
  private static final int MUTANT_SEEDS = 60;

  @Test
  public void shouldDeliverEveryByteOnceUnderEverySeed() {
    long startNs = System.nanoTime();
    Optional<String> complaint =
        LongStream.range(0, SEEDS)
            .parallel()
            .mapToObj(SimulationTest::complaint)
            .flatMap(Optional::stream)
            .findFirst();
    assertEquals(complaint, Optional.empty());
    System.out.printf(
        "seeds 0 to %d: no violation, %.1f s%n", SEEDS - 1, (System.nanoTime() - startNs) / 1e9);
  }

  /** What went wrong under {@code seed}, if anything did. */
  private static Optional<String> complaint(long seed) {
    Script script = Script.of(seed);
    return Optional.ofNullable(SeededConversation.play(script, new Mutant()))
        .map(complaint -> script + ": " + complaint);
  }

  @Test
  public void shouldRunTheSameTwiceWhenTheSeedIsTheSame() {
    for (long seed = 0; seed < 20; seed++) {
      assertEquals(trace(seed), trace(seed), "seed " + seed);
    }
    assertNotEquals(trace(1), trace(2));
  }

  private static long trace(long seed) {
    try (SeededConversation conversation = new SeededConversation(Script.of(seed), new Mutant())) {
      assertNull(conversation.play());
      return conversation.traceHash();
    }
  }

  @DataProvider
  Object[][] mutants() {
    return Mutants.all().entrySet().stream()
        .map(e -> new Object[] {e.getKey(), e.getValue()})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "mutants")
  public void shouldFindEachKnownFailureWhenItIsPutBack(String name, Mutant mutant) {
    int found = 0;
    String first = null;
    for (long seed = 0; seed < MUTANT_SEEDS; seed++) {
      String complaint = SeededConversation.play(Script.of(seed), mutant);
      if (complaint != null) {
        found++;
        first = first == null ? "seed " + seed + ": " + complaint : first;
      }
    }
    System.out.printf(
        "mutant %s: found by %d of %d seeds (%s)%n", name, found, MUTANT_SEEDS, first);
    assertTrue(found > 0, "no seed finds mutant " + name);
  }
}
