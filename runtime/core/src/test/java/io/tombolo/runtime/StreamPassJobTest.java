// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Jobs of one vendor whose library can abort: calls go straight onto their caller's stream. */
public class StreamPassJobTest {
  private static final Duration NEVER_REACHED = Duration.ofSeconds(60);
  private static final long LIMIT_MS = 300_000;

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  /**
   * The last is one whose callers' streams cannot be held, which they need not be here. Its library
   * is taken to abort soundly, which its vendor does not say.
   */
  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {{"emu-nvidia:2"}, {"emu-amd:3"}, {"emu-cambricon:2"}};
  }

  /** In every type, size and place, with the bytes that the plans say. */
  @Test(timeOut = LIMIT_MS, dataProvider = "jobs")
  public void shouldComputeExactly(String clusters) throws Exception {
    JobSpec job =
        job(clusters, "sums", -1)
            .withSettings(TestJobs.unlike(Map.of("emu_aborts", "emu-cambricon")));
    JobResult result = TestJobs.run(job, pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldKeepTheOrderBesideAMixedCommunicatorOnTheSameStream() throws Exception {
    JobResult result = TestJobs.run(job("emu-nvidia:2,emu-amd:2", "passed beside", -1), pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveInOrderWhenOnlyTheStreamWasAsked() throws Exception {
    JobResult result = TestJobs.run(job("emu-nvidia:2", "passed and left", -1), pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** On a device of which no stream is held: nobody may wait in place of one that need not. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNotWaitInPlaceOfTheStreamThatTheCallIsOn() throws Exception {
    JobSpec job =
        job("emu-nvidia:2", "passed and waited for", -1)
            .withSettings(TestJobs.unlike(Map.of("emu_unkind", "locks")));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** The emulations say who uses a communicator that an abort has freed. */
  @Test(timeOut = LIMIT_MS)
  public void shouldOutliveAStormOfAborts() throws IOException {
    Path report = Files.createTempFile("aborts", ".txt");
    try {
      String seed = Long.toString(TestSeed.drawn() & Integer.MAX_VALUE);
      JobSpec storm =
          job("emu-nvidia:2", "passed aborts", -1)
              .withSettings(
                  TestJobs.unlike(Map.of("emu_report", report.toString(), "emu_queue_seed", seed)));
      JobResult result = TestJobs.run(storm, true);
      assertTrue(result.isSuccess(), result.toString());
      assertEquals(Files.readString(report), "");
    } finally {
      Files.delete(report);
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatDied() {
    JobResult result = TestJobs.run(job("emu-nvidia:3", "die", 1), false);
    assertFalse(result.isSuccess());
    assertTrue(result.failure().orElseThrow().contains("rank 1"), result.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldShowBothCallsWhenRanksDisagree() {
    JobResult result = TestJobs.run(job("emu-nvidia:3", "mismatch", 2), false);
    assertFalse(result.isSuccess());
    String failure = result.failure().orElseThrow();
    assertTrue(
        failure.contains("called all_reduce of 100 f32 by sum, but rank ")
            && failure.contains("called all_reduce of 101 f32 by sum"),
        failure);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatIsStoppedAndTellItWhenItGoesOn() {
    JobResult result =
        TestJobs.run(
            job("emu-nvidia:3", "stopped", 2)
                .withTimes(NEVER_REACHED, NEVER_REACHED)
                .withSettings(TestJobs.unlike(Map.of("liveness_ms", "1500"))),
            true);
    assertEquals(
        result.statuses().stream().map(ExitStatus::code).toList(),
        List.of(0, 0, 0),
        result.toString());
  }

  private static JobSpec job(String clusters, String behaviour, int odd) {
    return TestJobs.of(ClusterSpec.parse(clusters), NEVER_REACHED, behaviour, odd);
  }
}
