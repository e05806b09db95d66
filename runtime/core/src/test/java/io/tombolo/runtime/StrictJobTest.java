// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Jobs on devices as inconvenient as real ones, a row for each remedy that is in this module: it
 * goes red where the remedy is taken out. docs/emulated-devices.md has the habits.
 */
public class StrictJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long LIMIT_MS = 300_000;

  /** What the ranks do, what is strict about it, and the remedy that lets it end well. */
  @DataProvider
  public static Object[][] remedies() {
    return new Object[][] {
      {"strict growth", "allocations", "callers, not the agent, allocate what an operation needs"},
      {"strict messages", "allocations", "a message has memory of its own from the call on"},
      {"strict growth", "registrations", "channels that open later pin nothing"},
      {"strict first call", "connects", "each call is made once right after joining"},
      {"strict close", "frees", "a communicator's memory is given back by who closes it"},
    };
  }

  @Test(dataProvider = "remedies", timeOut = LIMIT_MS)
  public void shouldEndWellOnAStrictDevice(String behaviour, String strict, String remedy)
      throws IOException {
    Path report = Files.createTempFile("strict", ".txt");
    try {
      JobResult result =
          TestJobs.run(
              TestJobs.of(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), LIMIT, behaviour, 0)
                  .withSettings(
                      TestJobs.unlike(
                          Map.of("emu_strict", strict, "emu_report", report.toString()))),
              true);
      assertEquals(Files.readString(report), "", remedy);
      assertTrue(result.isSuccess(), remedy + ": " + result);
    } finally {
      Files.delete(report);
    }
  }
}
