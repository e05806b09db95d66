// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.HostId;
import io.tombolo.topology.Host;
import io.tombolo.topology.Recorded;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Port;
import io.tombolo.topology.machine.Route;
import io.tombolo.topology.machine.Routes;
import io.tombolo.topology.machine.VendorLink;
import java.util.List;
import org.testng.annotations.Test;

public class DetectionTest {
  private static final int PCI_5_X16 = 63_015;

  private static Host host(String name) {
    return Detection.of(RecordedFiles.parse(Recorded.text("machines/" + name + ".txt"), name));
  }

  @Test
  public void shouldFindEightAcceleratorsAndTheirLinksInDgx() {
    Machine machine = host("dgx-h100").machine();
    assertEquals(machine.model(), "NVIDIA DGXH100");
    assertEquals(machine.environment(), "bare metal");
    assertEquals(machine.accelerators().size(), 8);
    assertTrue(machine.accelerators().stream().allMatch(each -> each.vendor().equals("nvidia")));
    assertTrue(
        machine.accelerators().stream().allMatch(each -> each.megabytesPerSecond() == PCI_5_X16));
    assertEquals(machine.vendorLinks().size(), 8 * 7 / 2);
    VendorLink link = machine.vendorLinks().get(0);
    assertEquals(link.symbol(), "NV18");
    assertEquals(link.megabytesPerSecond(), 450_000);
  }

  @Test
  public void shouldFindNicsWithPortsInDgx() {
    Machine machine = host("dgx-h100").machine();
    assertEquals(machine.nics().size(), 12);
    assertEquals(machine.rails().size(), 10, "two storage ports are down");
    Nic nic = machine.nics().get(0);
    assertEquals(nic.name(), "mlx5_0");
    assertTrue(nic.rdma());
    Port port = nic.ports().get(0);
    assertEquals(port.linkLayer(), "InfiniBand");
    assertEquals(port.megabytesPerSecond(), 50_000);
    assertEquals(port.guid(), "a088c20300180001");
    assertEquals(port.gids(), List.of("fe80:0000:0000:0000:a088:c203:0018:0001"));
  }

  @Test
  public void shouldKnowNumaNodesWithCpusMemoryAndSocket() {
    Machine machine = host("dgx-h100").machine();
    assertEquals(machine.numaNodes().size(), 2);
    assertEquals(machine.numaNodes().get(1).cpus().toString(), "56-111,168-223");
    assertEquals(machine.numaNodes().get(1).socket(), 1);
    assertEquals(machine.numaNodes().get(1).memoryBytes(), 1024L << 30);
  }

  @Test
  public void shouldTakeEachDgxAcceleratorsOwnNicForNearest() {
    Machine machine = host("dgx-h100").machine();
    Routes routes = new Routes(machine);
    List<String> nearest =
        machine.accelerators().stream()
            .map(each -> routes.nearestNic(each.id()).orElseThrow().name())
            .toList();
    assertEquals(
        nearest,
        List.of("mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"));
  }

  @Test
  public void shouldGradeDistancesInDgx() {
    Machine machine = host("dgx-h100").machine();
    Routes routes = new Routes(machine);
    String gpu = "0000:1b:00.0";
    assertEquals(routes.between(gpu, gpu).linkClass(), LinkClass.SELF);
    assertEquals(routes.between(gpu, "0000:df:00.0").symbol(), "NV18");
    Route own = routes.between(gpu, "0000:18:00.0");
    assertEquals(own.linkClass(), LinkClass.SWITCH);
    assertEquals(own.via(), List.of("0000:17:01.0", "0000:16:00.0", "0000:17:00.0"));
    assertEquals(own.megabytesPerSecond(), PCI_5_X16);
    assertEquals(routes.between(gpu, "0000:40:00.0").linkClass(), LinkClass.NUMA);
    assertEquals(routes.between(gpu, "0000:9a:00.0").linkClass(), LinkClass.SYSTEM);
  }

  @Test
  public void shouldReadXgmiFromTheKernelOnMi300x() {
    Machine machine = host("mi300x").machine();
    assertEquals(machine.accelerators().size(), 8);
    assertEquals(machine.accelerators().get(0).vendor(), "amd");
    assertEquals(machine.vendorLinks().size(), 28);
    assertTrue(machine.vendorLinks().stream().allMatch(link -> link.source().equals("kfd")));
    assertEquals(machine.vendorLinks().get(0).symbol(), "XGMI1");
    assertEquals(machine.rails().size(), 8);
  }

  @Test
  public void shouldKnowHowGaudiCardsAreJoined() {
    Machine machine = host("gaudi2").machine();
    assertEquals(machine.accelerators().get(0).vendor(), "gaudi");
    assertEquals(machine.vendorLinks().size(), 28);
    assertEquals(machine.vendorLinks().get(0).symbol(), "HL3");
    Routes routes = new Routes(machine);
    assertEquals(
        routes.nearestNic("0000:9a:00.0").orElseThrow().name(), "mlx5_1", "the one of its socket");
  }

  @Test
  public void shouldFindNoAcceleratorInPlainServer() {
    Machine machine = host("plain").machine();
    assertEquals(machine.accelerators().size(), 0, "its VGA chip is none");
    assertEquals(
        machine.nics().stream().map(Nic::name).toList(), List.of("eno1", "mlx5_0", "mlx5_1"));
    assertEquals(machine.rails().stream().map(Nic::name).toList(), List.of("mlx5_0"));
    assertFalse(machine.nics().get(0).rdma());
    assertEquals(machine.nics().get(0).networkMegabytesPerSecond(), 125);
  }

  @Test
  public void shouldNotCountVirtualFunctionsBesideTheirOwnNicOrGpu() {
    Machine machine = host("sriov").machine();
    assertEquals(machine.nics().stream().map(Nic::name).toList(), List.of("mlx5_0", "mlx5_8"));
    assertEquals(machine.rails().size(), 2);
    assertEquals(
        machine.accelerators().stream().map(Accelerator::id).toList(), List.of("0000:81:00.0"));
  }

  @Test
  public void shouldKeepVirtualFunctionWhoseNicIsNotHere() {
    Machine machine = host("sriov-container").machine();
    assertEquals(machine.nics().stream().map(Nic::name).toList(), List.of("mlx5_3"));
    assertEquals(
        machine.nics().get(0).megabytesPerSecond(), PCI_5_X16, "of the port above: it knows none");
  }

  @Test
  public void shouldTakeTheLesserMaximumOfBothEndsForASleepingLink() {
    Machine machine = host("sleeping").machine();
    assertEquals(
        machine.accelerators().stream().map(Accelerator::megabytesPerSecond).toList(),
        List.of(31_507, 15_753));
    assertEquals(machine.nics().get(0).megabytesPerSecond(), 31_507, "its slot is PCIe 4.0");
  }

  @Test
  public void shouldKnowNoLinksOfAGpuThatIsCutIntoInstances() {
    Detection.Found found =
        Detection.look(RecordedFiles.parse(Recorded.text("machines/mig.txt"), "mig"));
    Machine machine = found.host().machine();
    assertEquals(machine.accelerators().size(), 4);
    assertEquals(
        machine.vendorLinks().stream().map(link -> link.a() + " " + link.b()).toList(),
        List.of(
            "0000:41:00.0 0000:81:00.0", "0000:41:00.0 0000:c1:00.0", "0000:81:00.0 0000:c1:00.0"));
    assertEquals(found.linkSources(), List.of(new LinkSource("NVLink", "nvidia-smi topo -m", "")));
  }

  @Test
  public void shouldReadThisHostUnderTheIdThatRanksPublish() {
    Host host = Detection.local();
    assertEquals(host.id(), HostId.local());
    assertTrue(host.machine().numaNodes().get(0).cpus().size() > 0);
  }
}
