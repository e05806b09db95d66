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
  private static final String WARNING =
      "CUDA_DEVICE_MAX_CONNECTIONS was not set when the device was opened: streams share few hardware"
          + " queues, in which one that waits for a call holds up the others; set"
          + " CUDA_DEVICE_MAX_CONNECTIONS=32 before the program starts";

  private static final String SAID = "missed, and said before";

  /**
   * What the user has set, what somebody else has done before, and what is said of a device, of it
   * again, and of another one.
   */
  @DataProvider
  public static Object[][] processes() {
    return new Object[][] {
      {"", "closed unloaded", List.of("none", "none", "none")},
      {"", "open unloaded", List.of(WARNING, "none", "none")},
      {"", "closed loaded", List.of(WARNING, SAID, WARNING)},
      {"", "open loaded", List.of(WARNING, SAID, WARNING)},
      {"16", "open loaded", List.of("none", "none", "none")},
    };
  }

  @Test(dataProvider = "processes", timeOut = 300_000)
  public void shouldTellOncePerDeviceThatTheEnvironmentWasNotSetInTime(
      String set, String before, List<String> said) {
    ChildProcess child =
        ChildProcess.run(
            QueuesProgram.class,
            set.isEmpty() ? Map.of() : Map.of(HardwareQueues.CUDA, set),
            before.split(" "));
    assertEquals(
        child.output().lines().filter(line -> !line.startsWith("SLF4J")).toList(),
        ImmutableList.builder().addAll(said).add("done").build());
  }
}
