// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Relays;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.Topology;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.io.Simulation;
import io.tombolo.topology.machine.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.annotations.Test;

public class JobRelaysTest {
  private static final String UNEQUAL = "1x(4xNVIDIA,4x400G);1x(4xAMD,1x400G,1x200G)";

  @Test
  public void shouldWeighRelaysByTheirNicsWhereHostsDiffer() {
    ImmutableList<Relays> relays = relays(UNEQUAL, Map.of());
    assertEquals(relays.get(0), Relays.all(4));
    assertEquals(relays.get(1), Relays.weighted(2, 0, 1, 0));
  }

  @Test
  public void shouldLetAllRelayOnOneHostUnlessToldOtherwise() {
    String oneHost = "1x(2xNVIDIA,2xAMD,1x400G)";
    assertEquals(relays(oneHost, Map.of()).get(0), Relays.all(2));
    assertEquals(relays(oneHost, Map.of("relays", "nics")).get(0), Relays.only(0, 2));
    assertEquals(relays(UNEQUAL, Map.of("relays", "all")).get(1), Relays.all(4));
    assertThrows(UsageException.class, () -> relays(oneHost, Map.of("relays", "some")));
  }

  @Test
  public void shouldAgreeOnRelays() {
    assertNotEquals(facts(Map.of()), facts(Map.of("relays", "all")));
  }

  private static Map<String, String> facts(Map<String, String> settings) {
    Clustering clustering = Clustering.of(Simulation.parse(UNEQUAL).sites());
    Capabilities none = Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of());
    return new PlanContext(
            1,
            clustering,
            ImmutableList.of(none, none),
            relays(UNEQUAL, settings),
            Tuning.DEFAULT,
            Calibration.none())
        .facts();
  }

  private static ImmutableList<Relays> relays(String simulated, Map<String, String> settings) {
    Topology topology = Simulation.parse(simulated);
    List<RankDescriptor> ranks = new ArrayList<>();
    for (int rank = 0; rank < topology.size(); rank++) {
      ranks.add(
          new RankDescriptor(
              1,
              1,
              "build",
              rank,
              topology.site(rank).vendor(),
              topology.site(rank).device(),
              topology.site(rank).architecture(),
              topology.site(rank).hostId(),
              1,
              CpuSet.ofList(""),
              Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of()),
              ImmutableMap.of(),
              Uplink.of(topology.host(rank).machine(), topology.accelerator(rank).id()),
              ImmutableSortedMap.of()));
    }
    return JobRelays.of(Clustering.of(topology.sites()), ranks, settings);
  }
}
