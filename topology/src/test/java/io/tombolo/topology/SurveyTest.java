// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.io.Simulation;
import io.tombolo.topology.machine.CostModel;
import io.tombolo.topology.machine.LinkClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class SurveyTest {
  private static final String MIXED = "2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)";

  @DataProvider
  public Object[][] seeds() {
    Object[][] seeds = new Object[40][];
    for (int seed = 0; seed < seeds.length; seed++) {
      seeds[seed] = new Object[] {(long) seed};
    }
    return seeds;
  }

  /** A job of one to four kinds of hosts with up to three vendors each. */
  static String randomSpec(Random random) {
    StringBuilder spec = new StringBuilder();
    for (int group = 0; group <= random.nextInt(4); group++) {
      spec.append(group == 0 ? "" : ";").append(1 + random.nextInt(3)).append("x(");
      for (String vendor :
          List.of("nvidia", "gaudi/gaudi2", "gaudi/gaudi3").subList(0, 1 + random.nextInt(3))) {
        spec.append(1 + random.nextInt(8)).append('x').append(vendor).append(',');
      }
      spec.append(1 + random.nextInt(8)).append('x').append(100 << random.nextInt(3)).append("G)");
    }
    return spec.toString();
  }

  @Test
  public void shouldGiveEachNicOneRelayAndWeighItBySpeed() {
    Survey survey = Survey.of(Simulation.parse(MIXED));
    Cluster nvidia = survey.clustering().clusters().get(0);
    Cluster amd = survey.clustering().clusters().get(1);
    assertEquals(survey.relays(nvidia).size(), 16);
    assertEquals(survey.relays(amd).size(), 8);
    assertTrue(
        survey.relays(nvidia).stream().allMatch(each -> each.megabytesPerSecond() == 50_000));
    assertTrue(survey.relays(amd).stream().allMatch(each -> each.megabytesPerSecond() == 25_000));
    assertTrue(survey.relays(amd).stream().allMatch(each -> each.distance() == LinkClass.SWITCH));
  }

  @Test
  public void shouldMeetRailByRailWhereClustersHaveEqualNics() {
    Survey survey = Survey.of(Simulation.parse("2x(8xNVIDIA,8x400G);2x(8xAMD,8x400G)"));
    assertEquals(survey.lanes().size(), 16);
    assertTrue(survey.lanes().stream().allMatch(Lane::isRailAligned));
  }

  @Test
  public void shouldShareMembersOutOverNicsThatAreEquallyNear() {
    Survey survey = Survey.of(Simulation.parse("1x(2xNVIDIA,1x400G)"));
    assertEquals(survey.relaysOf(0).size(), 1);
    assertEquals(survey.relaysOf(1).size(), 0);
    Survey four = Survey.of(Simulation.parse("1x(4xNVIDIA,4x400G)"));
    for (int rank = 0; rank < 4; rank++) {
      assertEquals(four.relaysOf(rank).size(), 1, "rank " + rank);
    }
  }

  @Test
  public void shouldLeaveFartherNicsToStorageAndOtherClusters() {
    Survey dgx = Survey.of(Recorded.topology("machines/dgx-h100.txt"));
    assertEquals(dgx.relays(dgx.clustering().clusters().get(0)).size(), 8, "not mlx5_1, mlx5_7");
    Survey mixed = Survey.of(Simulation.parse("1x(4xNVIDIA,4xAMD,8x400G)"));
    for (int rank = 0; rank < 8; rank++) {
      assertEquals(mixed.relaysOf(rank).size(), 1, "rank " + rank);
    }
  }

  @Test
  public void shouldLetEveryRankSpeakWhereThereIsNoNic() {
    Survey survey = Survey.of(Simulation.parse("1x(2xNVIDIA,3xAMD)"));
    assertEquals(survey.relays(survey.clustering().clusters().get(1)).size(), 3);
  }

  @Test
  public void shouldSplitVendorsInRankOrder() {
    ClusterSplit split = ClusterSplit.parse("amd=3");
    Survey survey = Survey.of(Simulation.parse(MIXED), split, CostModel.nominal());
    assertEquals(
        survey.clustering().clusters().stream().map(Cluster::size).toList(), List.of(16, 5, 5, 6));
    assertEquals(
        survey.clustering().reason(21),
        "vendor 'amd' is split into 3; this part is ranks from 21 on");
  }

  @Test
  public void shouldKeepArchitecturesApartThatTheirLibraryDoesNotJoin() {
    Survey survey =
        Survey.of(
            Simulation.parse(
                "1x(2xGaudi/Gaudi3,2xGaudi/HL-225H);2x(1xNVIDIA/H100);1x(1xNVIDIA/A100)"));
    assertEquals(
        survey.clustering().clusters().stream().map(Cluster::ranks).toList(),
        List.of(List.of(0, 1), List.of(2, 3), List.of(4, 5, 6)));
    assertEquals(
        survey.clustering().reason(2),
        "the first rank of 'gaudi' (gaudi2), which its library joins with no other");
    assertEquals(
        survey.clustering().reason(1),
        "its vendor and architecture, 'gaudi' (gaudi3), are also those of rank 0");
    assertEquals(survey.clustering().reason(6), "its vendor 'nvidia' is also that of rank 4");
  }

  @Test
  public void shouldSplitEachArchitectureWhereTheyAreApart() {
    Topology topology = Simulation.parse("1x(2xGaudi/Gaudi2);1x(3xGaudi/Gaudi3)");
    Survey survey = Survey.of(topology, ClusterSplit.parse("gaudi=2"), CostModel.nominal());
    assertEquals(
        survey.clustering().clusters().stream().map(Cluster::size).toList(), List.of(1, 1, 1, 2));
    assertEquals(
        survey.clustering().reason(4),
        "vendor 'gaudi' (gaudi3) is split into 2; this part is ranks from 3 on");
  }

  @DataProvider
  public Object[][] badSplits() {
    return new Object[][] {{"amd"}, {"amd=0"}, {"amd=17"}, {"intel=2"}, {"amd=2,amd=2"}, {"=2"}};
  }

  @Test(dataProvider = "badSplits")
  public void shouldRefuseSplitsThatMakeNoSense(String split) {
    Topology topology = Simulation.parse(MIXED);
    assertThrows(
        UsageException.class,
        () -> Survey.of(topology, ClusterSplit.parse(split), CostModel.nominal()));
  }

  @Test(dataProvider = "seeds")
  public void shouldCutVectorsWithoutGapsAndByWeight(long seed) {
    String spec = randomSpec(new Random(seed));
    Survey survey = Survey.of(Simulation.parse(spec));
    long at = 0;
    Map<Relay, Long> share = new HashMap<>();
    for (Lane lane : survey.lanes()) {
      assertEquals(lane.from(), at, spec);
      assertTrue(lane.to() > at, spec);
      long width = lane.to() - at;
      lane.relays().forEach(relay -> share.merge(relay, width, Long::sum));
      at = lane.to();
    }
    assertEquals(at, Lane.WHOLE, spec);
    for (Cluster cluster : survey.clustering().clusters()) {
      ImmutableList<Relay> relays = survey.relays(cluster);
      double total = relays.stream().mapToLong(Relay::megabytesPerSecond).sum();
      for (Relay relay : relays) {
        double wanted = Lane.WHOLE * (relay.megabytesPerSecond() / total);
        assertEquals(share.get(relay), wanted, 1.0, spec + " " + relay);
      }
    }
  }

  /** Renumbering ranks moves decisions with the devices: the same devices speak, as before. */
  @Test(dataProvider = "seeds")
  public void shouldDecideAlikeWhenRanksArePermuted(long seed) {
    Random random = new Random(seed);
    String spec = randomSpec(random);
    Topology natural = Simulation.parse(spec);
    List<Seat> seats = new ArrayList<>();
    for (int rank = 0; rank < natural.size(); rank++) {
      seats.add(natural.seat(rank));
    }
    Collections.shuffle(seats, random);
    Topology permuted = Topology.of(natural.hosts(), seats);
    assertEquals(decisions(permuted), decisions(natural), "seed " + seed + ": " + spec);
  }

  private record Voice(
      String vendor, Seat seat, String nic, int rail, LinkClass distance, long from, long to) {}

  /** Which device speaks through what about which part of a vector. */
  private static Set<Voice> decisions(Topology topology) {
    Survey survey = Survey.of(topology);
    Set<Voice> voices = new HashSet<>();
    for (Cluster cluster : survey.clustering().clusters()) {
      Map<Relay, long[]> parts = new HashMap<>();
      for (Lane lane : survey.lanes()) {
        long[] part =
            parts.computeIfAbsent(
                lane.relays().get(cluster.index()), relay -> new long[] {lane.from(), 0});
        part[1] = lane.to();
      }
      parts.forEach(
          (relay, part) ->
              voices.add(
                  new Voice(
                      cluster.vendor(),
                      topology.seat(relay.rank()),
                      relay.nic(),
                      relay.rail(),
                      relay.distance(),
                      part[0],
                      part[1])));
    }
    return voices;
  }

  @Test
  public void shouldRouteBetweenHostsThroughTheNearestNics() {
    Survey survey = Survey.of(Simulation.parse(MIXED));
    assertEquals(survey.route(0, 1).symbol(), "NV18");
    assertEquals(survey.route(0, 16).linkClass(), LinkClass.NETWORK);
    assertEquals(survey.route(0, 16).megabytesPerSecond(), 25_000);
    assertEquals(survey.route(0, 8).megabytesPerSecond(), 50_000);
    assertEquals(survey.timePs(0, 16, 25_000_000_000L), 5_000_000L + 1_000_000_000_000L);
  }
}
