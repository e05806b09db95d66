// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.topology.io.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

public class TopologyDiffTest {

  @Test
  public void shouldFindNothingBetweenEqualTopologies() {
    Topology topology = Recorded.topology("machines/dgx-h100.txt");
    assertEquals(
        TopologyDiff.between(topology, Recorded.topology("machines/dgx-h100.txt")), List.of());
  }

  @Test
  public void shouldNameHostsAndRanksThatCameOrWent() {
    List<String> lines =
        TopologyDiff.between(Simulation.parse("2x(1xNVIDIA)"), Simulation.parse("1x(1xNVIDIA)"));
    assertEquals(lines, List.of("- host host1", "- 2 ranks", "+ 1 ranks"));
  }

  @Test
  public void shouldShowTheDeviceThatChanged() {
    List<String> lines =
        TopologyDiff.between(
            Simulation.parse("1x(1xNVIDIA,1x400G)"), Simulation.parse("1x(1xNVIDIA,1x200G)"));
    assertEquals(
        lines,
        List.of(
            "~ host0: NIC 0000:81:00.0: port 1 was up 50000 MB/s Ethernet, is up 25000 MB/s"
                + " Ethernet"));
  }

  @Test
  public void shouldTellOnceWhatChangedAlikeOnSeveralHosts() {
    List<String> lines =
        TopologyDiff.between(
            Simulation.parse("6x(1xNVIDIA,1x400G)"), Simulation.parse("6x(1xNVIDIA/H200,1x400G)"));
    assertEquals(
        lines,
        List.of(
            "~ host0, host1, host2, host3 and 2 more: accelerator 0000:41:00.0: model was nvidia"
                + " nvidia, is nvidia h200"));
  }

  @Test
  public void shouldNameWhatCameAndWentInAHost() {
    List<String> lines =
        TopologyDiff.between(
            Simulation.parse("1x(1xNVIDIA,2x400G)"), Simulation.parse("1x(2xNVIDIA,2x400G)"));
    assertEquals(
        lines,
        List.of(
            "+ host0: accelerator 0000:42:00.0",
            "+ host0: link 0000:41:00.0 – 0000:42:00.0",
            "- 1 ranks",
            "+ 2 ranks"));
  }

  @Test
  public void shouldStopAfterThousandDifferences() {
    Topology natural = Simulation.parse("20x(64xa)");
    List<Seat> seats = new ArrayList<>();
    for (int rank = natural.size() - 1; rank >= 0; rank--) {
      seats.add(natural.seat(rank));
    }
    List<String> lines = TopologyDiff.between(natural, Topology.of(natural.hosts(), seats));
    assertEquals(lines.get(0), "~ rank 0: was on host0 0000:41:00.0, is on host19 0000:80:00.0");
    assertEquals(lines.size(), 1_001);
    assertTrue(lines.get(1_000).contains("more differences"));
  }
}
