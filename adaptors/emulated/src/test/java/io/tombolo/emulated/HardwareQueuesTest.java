// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.HardwareQueues;
import java.util.List;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whether the environment was set before the device was opened, by whomever. */
public final class HardwareQueuesTest {
  private static final String MISSED = "CUDA_DEVICE_MAX_CONNECTIONS=32";

  /** What the user has set, what somebody else has done before, and what is missed twice. */
  @DataProvider
  public static Object[][] processes() {
    return new Object[][] {
      {"", "closed unloaded", List.of("none", "none")},
      {"", "open unloaded", List.of(MISSED, "none")},
      {"", "closed loaded", List.of(MISSED, MISSED)},
      {"", "open loaded", List.of(MISSED, MISSED)},
      {"16", "open loaded", List.of("none", "none")},
    };
  }

  @Test(dataProvider = "processes", timeOut = 300_000)
  public void shouldTellWhetherTheEnvironmentWasSetInTime(
      String set, String before, List<String> missed) {
    ChildProcess child =
        ChildProcess.run(
            QueuesProgram.class,
            set.isEmpty() ? Map.of() : Map.of(HardwareQueues.CUDA, set),
            before.split(" "));
    assertEquals(
        child.output().lines().filter(line -> !line.startsWith("SLF4J")).toList(),
        ImmutableList.builder().addAll(missed).add("done").build());
  }
}
