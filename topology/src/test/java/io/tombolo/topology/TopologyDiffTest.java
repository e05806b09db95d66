package io.tombolo.topology;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.topology.io.Simulation;
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
    assertEquals(lines.size(), 2, lines.toString());
    assertTrue(lines.get(0).startsWith("- host0: Nic[id=0000:81:00.0"), lines.get(0));
    assertTrue(lines.get(1).contains("megabytesPerSecond=25000"), lines.get(1));
  }

  @Test
  public void shouldStopAfterThousandDifferences() {
    List<String> lines =
        TopologyDiff.between(Simulation.parse("9x(64xa)"), Simulation.parse("9x(64xb)"));
    assertEquals(lines.size(), 1_001);
    assertTrue(lines.get(1_000).contains("more differences"));
  }
}
