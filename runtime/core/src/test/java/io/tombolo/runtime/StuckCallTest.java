// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs whose agents are stuck in the vendor's library: deadlines and aborts hold. */
public class StuckCallTest {
  /** For joining; the calls have deadlines of their own. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static final long LIMIT_MS = 300_000;

  /** The library is too old to abort, so nothing brings the agent back. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndCallsByTheirDeadlinesWhileTheAgentIsStuckForEver() {
    run("stuck until the deadline", Map.of("emu_version", "21805"));
  }

  /** The library says that it can abort, and does not: only the caller's own thread is lost. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTellOfADeadlineWhileTheCallerIsStuckForEver() {
    run("stuck with its caller for ever", Map.of("emu_no_abort", "1"));
  }

  @DataProvider
  public Object[][] waysToBeStuck() {
    return new Object[][] {{"stuck with its caller"}, {"stuck with its caller, not reached"}};
  }

  /** The library can abort, so calls go straight onto their callers' streams. */
  @Test(timeOut = LIMIT_MS, dataProvider = "waysToBeStuck")
  public void shouldBringCallersBackByTheirDeadlines(String way) {
    run(way, Map.of());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndCallsByAnAbortWhileTheAgentIsStuck() {
    run("stuck until aborted", Map.of());
  }

  /** A rank that has found all as it should be ends with 0, whatever became of the job. */
  private static void run(String behaviour, Map<String, String> settings) {
    JobResult result =
        TestJobs.run(
            TestJobs.of(ClusterSpec.parse("emu-nvidia:2"), LIMIT, behaviour, 1)
                .withTimes(LIMIT, LIMIT)
                .withSettings(TestJobs.unlike(settings(settings))),
            true);
    List<Integer> codes =
        result.statuses().stream().map(status -> status.code()).collect(Collectors.toList());
    assertEquals(codes, List.of(0, 0), result.toString());
  }

  private static Map<String, String> settings(Map<String, String> more) {
    return ImmutableMap.<String, String>builder()
        .putAll(more)
        .put("emu_block_count", Long.toString(StuckCall.COUNT))
        .buildOrThrow();
  }
}
