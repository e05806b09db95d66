// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class ShardingTest {

  @Test
  public void shouldCutLanesWhereAnyClusterCuts() {
    Grouping grouping = grouping("aaabbbbb");
    Sharding sharding = new Sharding(grouping, new Interval(0, 30));
    Shares shares = sharding.of(grouping.clusters().get(0));
    List<Interval> lanes = new ArrayList<>();
    for (int position = 0; position < 3; position++) {
      lanes.addAll(sharding.lanes(shares.owned(position)));
    }
    assertEquals(
        lanes,
        List.of(
            new Interval(0, 6),
            new Interval(6, 10),
            new Interval(10, 12),
            new Interval(12, 18),
            new Interval(18, 20),
            new Interval(20, 24),
            new Interval(24, 30)));
  }

  @Test
  public void shouldGiveTheTailToTheLastMembers() {
    Shares two = new Shares(Relays.all(2), new Interval(100, 114), 6);
    assertEquals(two.body(), new Interval(100, 112));
    assertEquals(two.tail(), new Interval(112, 114));
    assertEquals(two.owned(1), new Interval(106, 114));
    assertEquals(two.relay(113), 1);
  }

  @Test
  public void shouldLeaveShortSegmentsToTheLastMember() {
    Shares two = new Shares(Relays.all(2), new Interval(0, 5), 6);
    assertTrue(two.body().isEmpty());
    assertTrue(two.owned(0).isEmpty());
    assertEquals(two.owned(1), new Interval(0, 5));
  }

  @Test
  public void shouldShareInProportionToTheWeights() {
    Shares shares = new Shares(Relays.weighted(1, 0, 3), new Interval(10, 50), 3);
    assertEquals(shares.owned(0), new Interval(10, 20));
    assertTrue(shares.owned(1).isEmpty());
    assertEquals(shares.owned(2), new Interval(20, 50));
    assertTrue(shares.body().isEmpty());
  }

  @Test
  public void shouldGiveEveryElementOneOwner() {
    for (Relays relays :
        List.of(
            Relays.all(1),
            Relays.all(5),
            Relays.only(0, 3),
            Relays.only(2, 3),
            Relays.weighted(0, 2, 0, 5, 1))) {
      for (int length = 0; length < 50; length++) {
        checkCover(new Shares(relays, new Interval(7, 7 + length), relays.members()));
      }
    }
  }

  private static void checkCover(Shares shares) {
    long reached = 7;
    for (int position = 0; position < shares.members(); position++) {
      Interval owned = shares.owned(position);
      assertEquals(owned.start(), reached);
      for (long element = owned.start(); element < owned.end(); element++) {
        assertEquals(shares.relay(element), position);
      }
      reached = owned.end();
    }
    assertEquals(reached, shares.all().end());
    List<Shares.Part> parts = shares.partsOf(shares.all());
    assertEquals(
        parts.stream().mapToLong(part -> part.lane().length()).sum(), shares.all().length());
  }

  @Test
  public void shouldCutPiecesThatCoverTheLane() {
    Interval lane = new Interval(3, 13);
    long reached = 3;
    for (int index = 0; index < 4; index++) {
      assertEquals(lane.piece(index, 4).start(), reached);
      reached = lane.piece(index, 4).end();
    }
    assertEquals(reached, 13);
  }

  @Test
  public void shouldStopMultiplyingUnitsNobodyCanFill() {
    ImmutableList<Cluster> clusters = clusters(997, 991, 983, 977, 971, 967);
    assertTrue(Sharding.unit(clusters, 1000) > 1000);
    assertTrue(Sharding.unit(clusters, 1000) < 1_000_000);
  }

  private static Grouping grouping(String word) {
    return Grouping.of(Worlds.context(word, 1 << 20), cluster -> true);
  }

  private static ImmutableList<Cluster> clusters(int... sizes) {
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    int first = 0;
    for (int index = 0; index < sizes.length; index++) {
      clusters.add(
          new Cluster(
              index,
              "vendor" + index,
              IntStream.range(first, first + sizes[index])
                  .boxed()
                  .collect(ImmutableList.toImmutableList())));
      first += sizes[index];
    }
    return clusters.build();
  }
}
