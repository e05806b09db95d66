// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.topology.io.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.testng.annotations.Test;

public class RelayWeightsTest {
  private static final long SEED = 20261121;

  @Test
  public void shouldWeighMembersBySpeedOfTheirNics() {
    Topology topology = Simulation.parse("1x(4xNVIDIA,4x400G);1x(4xAMD,2x200G)");
    assertEquals(weights(topology, 0), ImmutableLongArray.of(1, 1, 1, 1));
    long carrying = weights(topology, 1).stream().filter(weight -> weight > 0).count();
    assertEquals(carrying, 2);
  }

  @Test
  public void shouldWeighAllAlikeWhereNoNicIsKnown() {
    Topology topology = Simulation.parse("1x(3xNVIDIA,1x400G)");
    Clustering clustering = Clustering.of(topology.sites());
    ImmutableLongArray weights =
        RelayWeights.of(
            clustering,
            clustering.clusters().get(0),
            List.of(ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
    assertEquals(weights, ImmutableLongArray.of(1, 1, 1));
  }

  /** What a job decides from descriptors is what a survey of the same machines decides. */
  @Test
  public void shouldChooseTheRelaysOfTheSurvey() {
    Random random = new Random(SEED);
    for (int round = 0; round < 60; round++) {
      String spec = SurveyTest.randomSpec(random);
      Topology topology = Simulation.parse(spec);
      Survey survey = Survey.of(topology);
      for (Cluster cluster : survey.clustering().clusters()) {
        long[] speeds = new long[cluster.size()];
        for (Relay relay : survey.relays(cluster)) {
          speeds[cluster.positionOf(relay.rank())] += relay.megabytesPerSecond();
        }
        ImmutableLongArray weights = weights(topology, cluster.index());
        for (int one = 0; one < speeds.length; one++) {
          for (int other = 0; other < one; other++) {
            assertEquals(
                weights.get(one) * speeds[other],
                weights.get(other) * speeds[one],
                spec + ", seed " + SEED + ": " + weights);
          }
        }
      }
    }
  }

  private static ImmutableLongArray weights(Topology topology, int cluster) {
    Clustering clustering = Clustering.of(topology.sites());
    List<ImmutableList<Uplink>> uplinks = new ArrayList<>();
    for (int rank = 0; rank < topology.size(); rank++) {
      uplinks.add(Uplink.of(topology.host(rank).machine(), topology.accelerator(rank).id()));
    }
    return RelayWeights.of(clustering, clustering.clusters().get(cluster), uplinks);
  }
}
