package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whole conversations under seeded faults: 1000 seeds, and as many more as fit into 15 s; {@code
 * -Pdeep} plays 10 000 however long it takes.
 */
public class SimulationTest {
  private static final int LEAST_SEEDS = Integer.getInteger("tombolo.sim.seeds", 1000);
  private static final int MOST_SEEDS = Math.max(10_000, LEAST_SEEDS);
  private static final long BUDGET_NS = 15_000_000_000L;
  private static final int MUTANT_SEEDS = 60;

  @Test
  public void shouldDeliverEveryByteOnceUnderEverySeed() {
    long startNs = System.nanoTime();
    long seed = 0;
    for (; seed < MOST_SEEDS && (seed < LEAST_SEEDS || isTimeLeft(startNs)); seed++) {
      Script script = Script.of(seed);
      assertNull(Conversation.play(script, new Mutant()), script.toString());
    }
    System.out.printf(
        "seeds 0 to %d: no violation, %.1f s%n", seed - 1, (System.nanoTime() - startNs) / 1e9);
  }

  private static boolean isTimeLeft(long startNs) {
    return System.nanoTime() - startNs < BUDGET_NS;
  }

  @Test
  public void shouldRunTheSameTwiceWhenTheSeedIsTheSame() {
    for (long seed = 0; seed < 20; seed++) {
      assertEquals(trace(seed), trace(seed), "seed " + seed);
    }
    assertNotEquals(trace(1), trace(2));
  }

  private static long trace(long seed) {
    try (Conversation conversation = new Conversation(Script.of(seed), new Mutant())) {
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
      String complaint = Conversation.play(Script.of(seed), mutant);
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
