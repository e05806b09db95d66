// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Host;
import io.tombolo.topology.Recorded;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.io.Simulation;
import io.tombolo.topology.io.TopologyFile;
import io.tombolo.topology.machine.Machine;
import java.io.ByteArrayInputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class FormatTest {
  private static final String MIXED = "1x(2xNVIDIA,2x400G);1x(2xAMD,1x200G)";

  @DataProvider
  public Object[][] topologies() {
    return new Object[][] {
      {Recorded.topology("machines/dgx-h100.txt")},
      {Recorded.topology("machines/mi300x.txt")},
      {Recorded.topology("machines/gaudi2.txt")},
      {Recorded.topology("machines/plain.txt")},
      {Recorded.topology("io/nccl-two-hosts.xml")},
      {Simulation.parse(MIXED)},
      {Simulation.parse("1x(64xNVIDIA)")},
      {Simulation.parse("1000x(3xNVIDIA,5xAMD,8x400G)")},
      {Simulation.parse("9x(8xgaudi,1x100G);1x(2x100G)")},
      {hostile()},
    };
  }

  /** Names from files are markup to nobody. */
  private static Topology hostile() {
    Machine machine = Simulation.parse(MIXED).hosts().get(0).machine();
    return Topology.of(List.of(new Host("a\"b", "</text><script>\"&\\", machine)));
  }

  @Test(dataProvider = "topologies")
  public void shouldDrawWellFormedPicturesAndXml(Topology topology) throws Exception {
    Survey survey = Survey.of(topology);
    for (Format format : List.of(Format.SVG, Format.XML)) {
      byte[] xml = format.render(survey, Paint.NONE).getBytes(StandardCharsets.UTF_8);
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new ByteArrayInputStream(xml));
    }
    assertFalse(Format.HTML.render(survey, Paint.NONE).contains("<script>"));
  }

  @Test(dataProvider = "topologies")
  public void shouldReadBackNcclXmlWithTheSameClustersAndRelays(Topology topology) {
    Survey survey = Survey.of(topology);
    if (survey.topology().machines().stream().allMatch(machine -> machine.parts().count() > 0)) {
      Survey again = Survey.of(TopologyFile.parse(Format.XML.render(survey, Paint.NONE), "again"));
      assertEquals(clusters(again), clusters(survey));
      assertEquals(voices(again), voices(survey));
    }
  }

  /** Without distances: NCCL's form does not tell the host bridges of a NUMA node apart. */
  private static List<String> voices(Survey survey) {
    return survey.lanes().stream()
        .flatMap(lane -> lane.relays().stream())
        .map(relay -> relay.rank() + " " + relay.nic() + " " + relay.rail())
        .toList();
  }

  private static List<List<Integer>> clusters(Survey survey) {
    return survey.clustering().clusters().stream()
        .map(Cluster::ranks)
        .<List<Integer>>map(List::copyOf)
        .toList();
  }

  @Test(dataProvider = "topologies")
  public void shouldBalanceGraphsAndKeepThemSmall(Topology topology) {
    Survey survey = Survey.of(topology);
    String dot = Format.DOT.render(survey, Paint.NONE);
    assertEquals(
        dot.chars().filter(c -> c == '{').count(), dot.chars().filter(c -> c == '}').count());
    String mermaid = Format.MERMAID.render(survey, Paint.NONE);
    assertTrue(mermaid.startsWith("flowchart LR\n"));
    assertEquals(
        mermaid.lines().filter(line -> line.startsWith("  subgraph")).count(),
        mermaid.lines().filter("  end"::equals).count());
    assertTrue(Format.SVG.render(survey, Paint.NONE).length() < 200_000);
  }

  @Test
  public void shouldShowMatrixClustersAndLegend() {
    String text = Format.TEXT.render(Survey.of(Simulation.parse(MIXED)), Paint.NONE);
    assertEquals(
        text.lines().limit(7).map(String::stripTrailing).toList(),
        List.of(
            "4 ranks on 2 hosts, 2 clusters, 3 relays, 2 lanes",
            "",
            "Ranks",
            "       r0   r1   r2    r3    vendor host  NIC  NUMA CPUs",
            "  * r0 X    NV18 NET   NET   nvidia host0 nic0 0    0-63",
            "  * r1 NV18 X    NET   NET   nvidia host0 nic1 1    64-127",
            "  * r2 NET  NET  X     XGMI1 amd    host1 nic0 0    0-63"));
    assertTrue(text.contains("cluster 1: amd, 2 ranks (2-3), 1 relay with 25.0 GB/s together"));
    assertTrue(text.contains("its vendor 'amd' is also that of rank 2"));
    assertTrue(text.contains("PIX"));
  }

  /** Measured as this thread's processor time: other work on the machine is not our business. */
  @Test
  public void shouldSummariseHundredThousandRanksInTwoSeconds() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    Survey survey = Survey.of(Simulation.parse("6250x(8xNVIDIA,8x400G);6250x(8xAMD,4x200G)"));
    String text = Format.TEXT.render(survey, Paint.NONE);
    long elapsedMs = (threads.getCurrentThreadCpuTime() - start) / 1_000_000;
    System.out.println("100 000 ranks parsed, clustered and shown in " + elapsedMs + " ms");
    assertTrue(text.startsWith("100 000 ranks on 12 500 hosts, 2 clusters, 75 000 relays"));
    assertTrue(text.length() < 5_000);
    assertEquals(survey.topology().machines().size(), 2);
    assertTrue(elapsedMs < 2_000, elapsedMs + " ms");
  }
}
