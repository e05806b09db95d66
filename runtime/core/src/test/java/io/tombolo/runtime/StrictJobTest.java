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
  private static final String VENDORS = "emu-nvidia:2,emu-amd:1";

  /**
   * One is where most blocks; with more, it is chance what does, so that is tried again and again.
   */
  private static final String QUEUES = System.getProperty("tombolo.strict.queues", "1");

  /** Nothing says that priorities have queues of their own there: so all share one here. */
  private static final String UNDOCUMENTED = "emu-cambricon:2,emu-ascend:1";

  /** A message of a device has memory of its own there; through shared memory it needs none. */
  private static final String STAGED = "tcp";

  /** Whose ranks do what, what is strict about it, and the remedy that lets it end well. */
  @DataProvider
  public static Object[][] remedies() {
    return new Object[][] {
      {
        VENDORS,
        "strict growth",
        "allocations, registrations, queues",
        "callers, not the agent, allocate what an operation needs; callers pin the slots of channels"
            + " that open later, while nothing is under way; our own streams are not in callers' queues"
      },
      {
        VENDORS,
        "strict messages",
        "allocations",
        "a message has memory of its own from the call on"
      },
      {VENDORS, "strict first call", "connects", "each call is made once right after joining"},
      {VENDORS, "strict first broadcast", "connects", "and not only one for all of them"},
      {VENDORS, "strict first large call", "connects", "algorithms are connected while joining"},
      {
        VENDORS,
        "strict first exchange",
        "connects",
        "each member sends to each right after joining"
      },
      {VENDORS, "strict capture", "capture", "captured streams are refused, captures stay whole"},
      {
        UNDOCUMENTED,
        "strict capture",
        "capture",
        "captured streams are refused where host's order is kept, too"
      },
      {VENDORS, "strict legacy", "legacy", "our own streams do not wait for the legacy one"},
      {VENDORS, "strict frees", "frees", "the agent neither frees nor waits for who does"},
      {VENDORS, "strict frees", "locks", "no stream is held where who frees locks out the agent"},
      {VENDORS, "strict routes", "locks", "routes say so from the beginning"},
      {VENDORS, "strict close", "frees", "a communicator's memory is given back by who closes it"},
      {VENDORS, "strict growth", "shares", "no stream is held where copies alone pass it"},
      {UNDOCUMENTED, "strict growth", "queues", "a stream in a queue of ours is not held"},
      {UNDOCUMENTED, "strict shared queues", "queues", "routes say so"},
      {VENDORS, "strict stream not held", "queues", "routes say so of one stream, too"},
    };
  }

  @Test(dataProvider = "remedies", timeOut = LIMIT_MS)
  public void shouldEndWellOnAStrictDevice(
      String clusters, String behaviour, String strict, String remedy) throws IOException {
    Path report = Files.createTempFile("strict", ".txt");
    try {
      JobResult result =
          TestJobs.run(
              TestJobs.of(ClusterSpec.parse(clusters), LIMIT, behaviour, 0)
                  .withSettings(
                      TestJobs.unlike(
                          Map.of(
                              "fabrics",
                              behaviour.equals("strict messages") ? STAGED : "shm",
                              "emu_queues",
                              QUEUES,
                              "emu_report",
                              report.toString(),
                              "emu_unkind",
                              strict.equals("locks") || strict.equals("shares") ? strict : ""))),
              true);
      assertEquals(Files.readString(report), "", strict + ": " + remedy);
      assertTrue(result.isSuccess(), strict + ": " + remedy + ": " + result);
    } finally {
      Files.delete(report);
    }
  }
}
