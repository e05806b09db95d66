package io.tombolo.topology.io;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Recorded;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.VendorLink;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class ImportTest {

  @Test
  public void shouldReadHostsAndRanksOfNccl() {
    Topology topology = Recorded.topology("io/nccl-two-hosts.xml");
    assertEquals(topology.hosts().size(), 2);
    assertFalse(topology.isNatural(), "ranks alternate between the hosts");
    Survey survey = Survey.of(topology);
    assertEquals(
        survey.clustering().clusters().stream().map(Cluster::ranks).toList(),
        List.of(List.of(0, 2), List.of(1, 3)));
    assertEquals(survey.route(0, 2).symbol(), "NV18");
    assertEquals(survey.route(0, 2).megabytesPerSecond(), 450_000);
    assertEquals(survey.route(1, 3).symbol(), "XGMI1");
    assertEquals(survey.route(0, 1).linkClass(), LinkClass.NETWORK);
    assertEquals(survey.nearestNic(0).orElseThrow().name(), "mlx5_0");
    assertEquals(topology.hosts().get(0).machine().numaNodes().get(1).cpus().toString(), "32-55");
  }

  @Test
  public void shouldKeepNicsThatHaveNoPlaceInNccl() {
    Machine machine = Recorded.topology("io/nccl-two-hosts.xml").hosts().get(0).machine();
    assertEquals(machine.nics().stream().map(Nic::name).toList(), List.of("mlx5_0", "eth0"));
    assertFalse(machine.nics().get(1).rdma());
  }

  /** What NCCL dumped on an Azure NC A100 v4 machine; NVIDIA/nccl, src/test/ncv4/topo.xml. */
  @Test
  public void shouldReadADumpOfARealMachine() {
    Topology topology = Recorded.topology("io/nccl-nc-a100-v4.xml");
    Survey survey = Survey.of(topology);
    assertEquals(topology.site(0).vendor(), "nvidia");
    assertEquals(topology.accelerator(3).id(), "0004:00:00.0");
    assertEquals(survey.route(0, 1).symbol(), "NV12");
    assertEquals(survey.route(1, 2).linkClass(), LinkClass.SYSTEM);
    assertEquals(survey.route(2, 3).symbol(), "NV12");
    assertEquals(survey.relaysOf(0).get(0).nic(), "eth0");
    Machine machine = topology.hosts().get(0).machine();
    assertEquals(machine.numaNodes().get(3).cpus().toString(), "72-95");
  }

  /** What Azure gives NCCL for ND H100 v5; NVIDIA/nccl, src/test/ndv5/ndv5-topo-new.xml. */
  @Test
  public void shouldFindDevicesInWhatIsGivenToNccl() {
    Topology topology = Recorded.topology("io/nccl-nd-h100-v5.xml");
    assertEquals(topology.size(), 8);
    Survey survey = Survey.of(topology);
    for (int rank = 0; rank < 8; rank++) {
      assertEquals(topology.site(rank).vendor(), "nvidia");
      assertEquals(survey.relaysOf(rank).size(), 1, "one NIC each");
      assertEquals(survey.relaysOf(rank).get(0).distance(), LinkClass.SWITCH);
      assertEquals(survey.relaysOf(rank).get(0).nic(), "010" + (rank + 1) + ":00:00.0");
      assertEquals(topology.accelerator(rank).numaNode(), rank / 4);
      assertEquals(topology.accelerator(rank).megabytesPerSecond(), 63_015);
    }
  }

  @Test
  public void shouldTakeVendorsFromFlagcx() {
    Topology topology = Recorded.topology("io/flagcx.xml");
    assertEquals(topology.site(0).vendor(), "iluvatar");
    assertEquals(Survey.of(topology).relaysOf(0).get(0).distance(), LinkClass.SWITCH);
  }

  @Test
  public void shouldReadDevicesAndNumaNodesOfHwloc() {
    Topology topology = Recorded.topology("io/hwloc2.xml");
    Machine machine = topology.hosts().get(0).machine();
    assertEquals(topology.hosts().get(0).name(), "node7");
    assertEquals(machine.accelerators().size(), 1);
    assertEquals(machine.accelerators().get(0).numaNode(), 0);
    assertEquals(machine.accelerators().get(0).megabytesPerSecond(), 31_508);
    assertEquals(machine.nics().stream().map(Nic::name).toList(), List.of("mlx5_0", "eno1"));
    assertTrue(machine.nics().get(0).rdma());
    assertEquals(machine.nics().get(1).numaNode(), 1);
    assertEquals(machine.numaNodes().get(0).memoryBytes(), 128L << 30);
    assertEquals(Survey.of(topology).relaysOf(0).get(0).distance(), LinkClass.SWITCH);
  }

  @DataProvider
  public Object[][] topologies() {
    return new Object[][] {
      {Recorded.topology("machines/dgx-h100.txt")},
      {Recorded.topology("machines/mi300x.txt")},
      {Recorded.topology("machines/gaudi2.txt")},
      {Recorded.topology("machines/plain.txt")},
      {Recorded.topology("io/nccl-two-hosts.xml")},
      {Recorded.topology("io/nccl-nc-a100-v4.xml")},
      {Recorded.topology("io/nccl-nd-h100-v5.xml")},
      {Recorded.topology("io/hwloc2.xml")},
      {Simulation.parse("2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)")},
      {Simulation.parse("1x(2x100G)")},
    };
  }

  @Test(dataProvider = "topologies")
  public void shouldReadBackItsOwnJson(Topology topology) {
    String json = TopologyJsonWriter.write(topology);
    Topology again = TopologyFile.parse(json, "round trip");
    assertEquals(again, topology);
    assertEquals(TopologyJsonWriter.write(again), json);
  }

  @Test
  public void shouldReadLinksFromHwlocsMatrices() {
    Machine machine = Recorded.topology("io/hwloc2-xelink.xml").machines().get(0);
    assertEquals(
        machine.vendorLinks(),
        List.of(new VendorLink("0000:2a:00.0", "0000:2b:00.0", "XE", 1, 106_250, "hwloc")));
  }

  @Test
  public void shouldRefuseMatricesOfHwlocThatAreNotSquare() {
    String cut = Recorded.text("io/hwloc2-xelink.xml").replace("53125 0 0 1000000 ", "53125");
    UsageException e = expectThrows(UsageException.class, () -> TopologyFile.parse(cut, "cut.xml"));
    assertTrue(e.getMessage().contains("has 13 u64values, not 16"), e.getMessage());
  }
}
