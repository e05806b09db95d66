// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.topology.Clustering;
import io.tombolo.topology.RankSite;
import io.tombolo.topology.calibration.MeasuringPlan.Turn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class MeasuringPlanTest {

  private static List<Turn> plan(int ranks, IntFunction<RankSite> site) {
    return MeasuringPlan.of(Clustering.of(IntStream.range(0, ranks).mapToObj(site).toList()));
  }

  @Test
  public void shouldMeasureEveryCopyAndEveryPairOnce() {
    List<Turn> turns =
        plan(5, rank -> new RankSite(rank, rank % 2 == 0 ? "a" : "b", "h" + rank / 4, "d"));
    assertEquals(turns.size(), 5 + 10);
    Set<List<Integer>> pairs = new HashSet<>();
    turns.forEach(turn -> assertTrue(pairs.add(List.of(turn.from(), turn.to())), turn + ""));
    assertTrue(turns.contains(new Turn(PathKind.COPY, "b", 1, 1, false)));
    assertTrue(turns.contains(new Turn(PathKind.VENDOR, "a", 0, 2, false)));
    assertTrue(turns.contains(new Turn(PathKind.VENDOR, "a", 0, 4, true)));
    assertTrue(turns.contains(new Turn(PathKind.FABRIC, "", 1, 4, true)));
  }

  @Test
  public void shouldMeasureAFewOfManyRanksInEveryClusterAndBetweenHosts() {
    List<Turn> turns =
        plan(10_000, rank -> new RankSite(rank, rank < 5_000 ? "a" : "b", "h" + rank / 8, "d"));
    assertTrue(turns.size() <= 24 + 24 * 23 / 2, turns.size() + " turns");
    for (PathKind kind : PathKind.values()) {
      assertTrue(turns.stream().anyMatch(turn -> turn.kind() == kind), "none of " + kind);
    }
    assertTrue(turns.stream().anyMatch(turn -> turn.kind() == PathKind.VENDOR && turn.network()));
    assertTrue(turns.stream().anyMatch(turn -> turn.kind() == PathKind.VENDOR && !turn.network()));
    assertTrue(
        turns.stream().anyMatch(turn -> turn.kind() == PathKind.COPY && turn.name().equals("b")));
  }
}
