// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class ArchitecturesTest {
  @DataProvider
  public Object[][] models() {
    return new Object[][] {
      {"gaudi", "1000", "gaudi1"},
      {"gaudi", "GAUDI", "gaudi1"},
      {"gaudi", "HL-205", "gaudi1"},
      {"gaudi", "1020", "gaudi2"},
      {"gaudi", "Gaudi 2", "gaudi2"},
      {"gaudi", "HL-225H", "gaudi2"},
      {"gaudi", "1060", "gaudi3"},
      {"gaudi", "HL-325L", "gaudi3"},
      {"ascend", "d801", "910"},
      {"ascend", "Ascend910A", "910"},
      {"ascend", "Ascend910ProB", "910"},
      {"ascend", "d802", "a2 or a3"},
      {"ascend", "Ascend910B1", "a2 or a3"},
      {"ascend", "Ascend910_9392", "a2 or a3"},
      {"ascend", "Ascend 9999", "ascend 9999"},
      {"gaudi", "gaudi", ""},
      {"nvidia", "NVIDIA H100 80GB HBM3", ""},
      {"amd", "74a1", ""},
    };
  }

  @Test(dataProvider = "models")
  public void shouldTellWhatKeepsADeviceApart(String vendor, String model, String architecture) {
    assertEquals(Architectures.apart(vendor, model), architecture);
  }
}
