// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

public class AllowedProcessorsTest {
  /** As Linux writes it. */
  private static final String STATUS =
      """
      Name:\tjava
      Cpus_allowed:\tf0f
      Cpus_allowed_list:\t0-3,8-11
      Mems_allowed_list:\t0
      """;

  @Test
  public void shouldReadThemFromTheStatusOfAThread() {
    assertEquals(AllowedProcessors.in(STATUS).toString(), "0-3,8-11");
    assertEquals(AllowedProcessors.in("Name:\tjava\n").size(), 0);
    assertEquals(AllowedProcessors.in("").size(), 0);
  }

  /** A cgroup may allow fewer at a time than the kernel names, but not more. */
  @Test
  public void shouldAllowThisThreadThoseThatItsMachineCounts() {
    int counted = Runtime.getRuntime().availableProcessors();
    assertTrue(AllowedProcessors.ofThisThread().size() >= counted, "Java counts " + counted);
  }
}
