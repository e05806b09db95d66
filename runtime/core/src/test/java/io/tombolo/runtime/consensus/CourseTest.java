// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.TestSeed;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** That no two ranks ever get different verdicts, whatever dies and in which order. */
public class CourseTest {
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");
  private static final int MAX_MOVES = 2_000;
  private static final int RUNS = DEEP ? 10_000 : 100;

  /** Ranks, deaths, unanswered questions, attempts. */
  @DataProvider
  public Object[][] smallWorlds() {
    return new Object[][] {{1, 0, 0, 2}, {2, 1, 0, 3}, {2, 0, 1, 2}};
  }

  /** Every order of all answers. */
  @Test(timeOut = 300_000, dataProvider = "smallWorlds")
  public void shouldAgreeInEveryOrder(int size, int deaths, int silences, int attempts) {
    search(size, deaths, silences, attempts, AgreeingWorld::next);
  }

  /** Ranks, deaths, attempts. */
  @DataProvider
  public Object[][] worldsByStep() {
    return DEEP
        ? new Object[][] {{3, 1, 3}, {3, 2, 3}, {4, 1, 2}, {4, 2, 2}}
        : new Object[][] {{3, 1, 2}, {3, 2, 2}};
  }

  /** Every order of all steps, and every death within one. */
  @Test(timeOut = 300_000, dataProvider = "worldsByStep")
  public void shouldAgreeInEveryOrderOfSteps(int size, int deaths, int attempts) {
    search(size, deaths, 0, attempts, AgreeingWorld::nextByStep);
  }

  private static void search(
      int size,
      int deaths,
      int silences,
      int attempts,
      Function<AgreeingWorld, List<AgreeingWorld>> moves) {
    Deque<AgreeingWorld> open =
        new ArrayDeque<>(List.of(AgreeingWorld.of(size, deaths, silences, attempts)));
    Set<AgreeingWorld> seen = new HashSet<>(open);
    int decided = 0;
    while (!open.isEmpty()) {
      AgreeingWorld world = open.pop();
      check(world, size);
      decided += world.verdicts().isEmpty() ? 0 : 1;
      for (AgreeingWorld next : moves.apply(world)) {
        if (seen.add(next)) {
          open.push(next);
        }
      }
    }
    System.out.printf(
        "%s ranks, %s deaths, %s silences, %s attempts: %s worlds, %s of them with a verdict%n",
        size, deaths, silences, attempts, seen.size(), decided);
    assertTrue(decided > 0);
  }

  @DataProvider
  public Object[][] largerWorlds() {
    return new Object[][] {{3, 1}, {4, 1}, {5, 2}};
  }

  /** Orders drawn by chance, in which also those duel that a search of all could not reach. */
  @Test(timeOut = 300_000, dataProvider = "largerWorlds")
  public void shouldAgreeInRandomOrders(int size, int deaths) {
    long seed = TestSeed.drawn();
    int decided = 0;
    for (int run = 0; run < RUNS; run++) {
      Random random = new Random(seed + run);
      AgreeingWorld world = AgreeingWorld.of(size, deaths, 3, 8);
      List<AgreeingWorld> next = world.next();
      for (int move = 0; move < MAX_MOVES && !next.isEmpty(); move++) {
        world = next.get(random.nextInt(next.size()));
        check(world, size);
        next = world.next();
      }
      decided += world.verdicts().isEmpty() ? 0 : 1;
    }
    System.out.printf("%s ranks, %s deaths: %s of %s decided%n", size, deaths, decided, RUNS);
    assertTrue(decided > RUNS / 2, decided + " of " + RUNS + " decided");
  }

  private static void check(AgreeingWorld world, int size) {
    assertTrue(world.verdicts().size() <= 1, "two verdicts: " + world);
    for (Verdict verdict : world.verdicts()) {
      long flags =
          verdict.ranks().stream()
              .mapToLong(rank -> AgreeingWorld.arrival(rank).flags())
              .reduce(-1, (one, other) -> one & other);
      assertEquals(verdict.flags(), flags);
      assertTrue(!verdict.ranks().isEmpty() && verdict.ranks().size() <= size, verdict.toString());
    }
  }
}
