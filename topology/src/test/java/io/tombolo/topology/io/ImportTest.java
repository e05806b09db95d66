// SPDX-License-Identifier: Apache-2.0
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

  /** Two GPUs with {@code entries} inside, and {@code net} beside them, as NCCL writes them. */
  private static Machine nccl(String first, String second, String net) {
    String gpu = "<pci busid='%s' class='0x030200' link_speed='16.0 GT/s PCIe' link_width='16'>";
    return TopologyFile.parse(
            "<system version='1'><cpu numaid='0'>"
                + gpu.formatted("0000:01:00.0")
                + first
                + "</pci>"
                + gpu.formatted("0000:02:00.0")
                + second
                + "</pci>"
                + net
                + "</cpu></system>",
            "it")
        .hosts()
        .get(0)
        .machine();
  }

  private static String gpu(int dev, int sm, String link) {
    return "<gpu dev='%d' sm='%d' rank='%d'>%s</gpu>".formatted(dev, sm, dev, link);
  }

  /** POWER9 has NVLink to its CPUs; kvDictPciClass of NCCL calls 0x068001 a CPU. */
  @Test
  public void shouldNotTakeLinksToTheCpuForASwitch() {
    String toCpu = "<nvlink target='0004:00:00.0' count='3' tclass='0x068001'/>";
    assertEquals(nccl(gpu(0, 70, toCpu), gpu(1, 70, toCpu), "").vendorLinks(), List.of());
    String toSwitch = toCpu.replace("068001", "068000");
    assertEquals(nccl(gpu(0, 70, toSwitch), gpu(1, 70, toSwitch), "").vendorLinks().size(), 1);
  }

  @DataProvider
  public Object[][] generations() {
    return new Object[][] {
      {"nvlink", 60, 4 * 20_000},
      {"nvlink", 70, 4 * 25_000},
      {"nvlink", 86, 4 * 14_062},
      {"nvlink", 90, 4 * 25_000},
      {"nvlink", 100, 4 * 50_000},
      {"xgmi", 90_008, 4 * 46_000},
      {"xgmi", 90_010, 4 * 50_000},
      {"xgmi", 90_402, 4 * 64_000},
      {"xgmi", 90_500, 4 * 76_800},
    };
  }

  @Test(dataProvider = "generations")
  public void shouldKnowWhatALinkOfEachGenerationCarries(String kind, int sm, int megabytes) {
    String link = "<%s target='0000:02:00.0' count='4' tclass='0x030200'/>".formatted(kind);
    Machine machine = nccl(gpu(0, sm, link), gpu(1, sm, ""), "");
    assertEquals(machine.vendorLinks().get(0).megabytesPerSecond(), megabytes);
  }

  @DataProvider
  public Object[][] nets() {
    return new Object[][] {
      {"name='mlx5_0' port='1' guid='0x1'", true},
      {"name='rdmap0s6' port='1' guid='0x0'", true},
      {"name='ens5' port='0' guid='0x0'", false},
      {"name='ens5'", false},
      {"name='enp1s0f0'", false},
      {"name='bond0'", false},
      {"name='ibp24s0'", false},
      {"name='mlx5_0'", true},
      {"name='bnxt_re0'", true},
      {"name='irdma1'", true},
    };
  }

  @Test(dataProvider = "nets")
  public void shouldTellSocketsFromRdma(String net, boolean rdma) {
    String nic = "<nic><net dev='0' speed='100000' %s/></nic>".formatted(net);
    Machine machine = nccl(gpu(0, 90, ""), gpu(1, 90, ""), nic);
    assertEquals(machine.nics().get(0).rdma(), rdma);
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
