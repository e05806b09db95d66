// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What the kernel's settings say of reading other processes. */
public final class PtraceScopeTest {
  private static final String NOBODY = status("0000000000000000");
  private static final String ROOT = status("000001ffffffffff");
  private static final String OTHERS = status("000001fffff7ffff");

  @DataProvider
  public Object[][] settings() {
    return new Object[][] {
      {"0\n", NOBODY, true},
      {"1\n", NOBODY, false},
      {"1\n", OTHERS, false},
      {"1\n", ROOT, true},
      {"2\n", NOBODY, false},
      {"2\n", ROOT, true},
      {"3\n", ROOT, false},
      {"1\n", "", false},
    };
  }

  @Test(dataProvider = "settings")
  public void shouldTellWhoMayRead(String setting, String status, boolean mayRead) {
    assertEquals(PtraceScope.letsSiblingsRead(setting, status), mayRead);
  }

  private static String status(String effective) {
    return "Name:\tjava\nCapPrm:\tffffffffffffffff\nCapEff:\t" + effective + "\nCapBnd:\t0\n";
  }
}
