// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The wheel that is named runs with the driver that is there. */
public final class NcclWheelTest {
  @DataProvider
  public static Object[][] drivers() {
    return new Object[][] {
      {12_000, "nvidia-nccl-cu12'"},
      {12_090, "nvidia-nccl-cu12'"},
      {13_000, "nvidia-nccl-cu13'"},
      {14_010, "nvidia-nccl-cu13'"},
      {11_080, "update NVIDIA's driver"},
      {0, "nvidia-nccl-cu12', or -cu13 where"},
    };
  }

  @Test(dataProvider = "drivers")
  public void shouldNameAWheelThatTheDriverRuns(int driver, String words) {
    String advice = NcclWheel.adviceFor(driver);
    assertTrue(advice.contains(words), advice);
    assertEquals(advice.contains("LD_LIBRARY_PATH"), driver / 1000 != 11, advice);
  }
}
