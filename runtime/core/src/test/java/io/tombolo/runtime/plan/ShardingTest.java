package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.Sharding.Lane;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public class ShardingTest {

  @Test
  public void shouldCutLanesWhereAnyClusterCuts() {
    ImmutableList<Cluster> clusters = clusters(3, 5);
    Sharding sharding = new Sharding(clusters, 0, 30);
    List<Lane> lanes = new ArrayList<>();
    for (int position = 0; position < 3; position++) {
      lanes.addAll(sharding.lanes(sharding.owned(clusters.get(0), position)));
    }
    assertEquals(
        lanes,
        List.of(
            new Lane(0, 6),
            new Lane(6, 10),
            new Lane(10, 12),
            new Lane(12, 18),
            new Lane(18, 20),
            new Lane(20, 24),
            new Lane(24, 30)));
  }

  @Test
  public void shouldGiveTheTailToTheLastMembers() {
    ImmutableList<Cluster> clusters = clusters(2, 3);
    Sharding sharding = new Sharding(clusters, 100, 14);
    assertEquals(sharding.body(), new Lane(100, 112));
    assertEquals(sharding.tail(), new Lane(112, 114));
    assertEquals(sharding.owned(clusters.get(0), 1), new Lane(106, 114));
    assertEquals(sharding.owned(clusters.get(1), 1), new Lane(104, 108));
    assertEquals(sharding.relay(clusters.get(0), 113), 1);
    assertEquals(sharding.relay(clusters.get(1), 113), 4);
  }

  @Test
  public void shouldLeaveShortSegmentsToTheLastMembers() {
    ImmutableList<Cluster> clusters = clusters(2, 3);
    Sharding sharding = new Sharding(clusters, 0, 5);
    assertEquals(sharding.body().length(), 0);
    assertEquals(sharding.owned(clusters.get(0), 0).length(), 0);
    assertEquals(sharding.owned(clusters.get(1), 2), new Lane(0, 5));
  }

  @Test
  public void shouldGiveEveryElementOneOwnerPerCluster() {
    for (int left = 1; left <= 5; left++) {
      for (int right = 1; right <= 5; right++) {
        ImmutableList<Cluster> clusters = clusters(left, right);
        for (int length = 1; length < 50; length++) {
          for (Cluster cluster : clusters) {
            checkCover(new Sharding(clusters, 7, length), cluster, length);
          }
        }
      }
    }
  }

  private static void checkCover(Sharding sharding, Cluster cluster, int length) {
    long reached = 7;
    for (int position = 0; position < cluster.size(); position++) {
      Lane owned = sharding.owned(cluster, position);
      assertEquals(owned.start(), reached);
      for (long element = owned.start(); element < owned.end(); element++) {
        assertEquals(sharding.relay(cluster, element), cluster.rank(position));
      }
      reached = owned.end();
    }
    assertEquals(reached, 7 + length);
  }

  @Test
  public void shouldCutPiecesThatCoverTheLane() {
    Lane lane = new Lane(3, 13);
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

  private static ImmutableList<Cluster> clusters(int... sizes) {
    ImmutableList.Builder<Cluster> clusters = ImmutableList.builder();
    int first = 0;
    for (int index = 0; index < sizes.length; index++) {
      ImmutableList<Integer> ranks =
          IntStream.range(first, first + sizes[index])
              .boxed()
              .collect(ImmutableList.toImmutableList());
      clusters.add(new Cluster(index, "vendor" + index, ranks));
      first += sizes[index];
    }
    return clusters.build();
  }
}
