// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class FiguresTest {

  @DataProvider
  public Object[][] links() {
    return new Object[][] {
      {"2.5 GT/s PCIe", "1", 250},
      {"8.0 GT/s PCIe", "8", 7_876},
      {"16.0 GT/s PCIe", "16", 31_507},
      {"32.0 GT/s PCIe", "16", 63_015},
      {"64.0 GT/s PCIe", "16", 118_000},
      {"32 GT/s", "16", 63_015},
      {"Unknown", "16", 0},
      {"8.0 GT/s PCIe", "0", 0},
      {"", "", 0},
      {"32.0 GT/s PCIe", "999", 0},
    };
  }

  @Test(dataProvider = "links")
  public void shouldTurnLinkSpeedAndWidthIntoBandwidth(String speed, String width, int expected) {
    assertEquals(PciLink.megabytesPerSecond(speed, width), expected);
  }

  @Test
  public void shouldReadCpuListsAndMasks() {
    assertEquals(CpuSet.ofList("0-3,8, 10-11").toString(), "0-3,8,10-11");
    assertEquals(CpuSet.ofList("").size(), 0);
    assertEquals(CpuSet.ofMask("ff,0000000f"), CpuSet.ofList("0-3,32-39"));
    assertEquals(CpuSet.ofMask("0x1,0xf"), CpuSet.ofList("0-3,32"));
    assertThrows(UsageException.class, () -> CpuSet.ofList("0-999999999"));
    assertThrows(UsageException.class, () -> CpuSet.ofList("3-1"));
    assertThrows(UsageException.class, () -> CpuSet.ofMask("xyz"));
    assertThrows(UsageException.class, () -> CpuSet.ofMask("f".repeat(100_000)));
  }

  @Test
  public void shouldSpellPciAddressesAsTheKernelDoes() {
    assertEquals(PciIds.address("1B:00.0"), "0000:1b:00.0");
    assertEquals(PciIds.address("00000000:1b:00"), "0000:1b:00.0");
    assertEquals(PciIds.address("00010000:1b:00.1"), "10000:1b:00.1");
    assertThrows(UsageException.class, () -> PciIds.address("gpu7"));
  }

  @Test
  public void shouldCostLatencyPlusBytesRoundedUp() {
    LinkCost cost = new LinkCost(1_000, 3);
    assertEquals(cost.timePs(0), 1_000);
    assertEquals(cost.timePs(1), 1_000 + 333_334);
    assertEquals(cost.timePs(3), 1_000 + 1_000_000);
    assertEquals(cost.timePs(Long.MAX_VALUE), Long.MAX_VALUE, "saturates");
  }

  @Test
  public void shouldPreferMeasurementToNominalFigures() {
    Route route = new Route(LinkClass.SYSTEM, "SYS", 10_000, ImmutableList.of());
    CostModel nominal = CostModel.nominal();
    assertEquals(nominal.of(route), new LinkCost(2_000_000, 10_000));
    LinkCost measured = new LinkCost(7, 9_000);
    assertEquals(nominal.withMeasured(LinkClass.SYSTEM, measured).of(route), measured);
    assertEquals(nominal.withMeasured(LinkClass.NUMA, measured).of(route), nominal.of(route));
  }
}
