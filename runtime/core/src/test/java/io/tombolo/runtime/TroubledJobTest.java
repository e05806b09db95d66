// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

/** Whole jobs of real processes of which one rank does something else: every other says which. */
public class TroubledJobTest {
  /** For trouble that is noticed at once, however slowly a busy machine starts the ranks. */
  private static final Duration NEVER_REACHED = Duration.ofSeconds(90);

  /** For trouble that only this deadline ends; every rank must have started by then. */
  private static final Duration REACHED = Duration.ofSeconds(15);

  /** Later than the job's own end, which tells more. */
  private static final long LIMIT_MS = 300_000;

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatDied() {
    for (int victim : new int[] {0, 2}) {
      JobResult result =
          run(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), NEVER_REACHED, "die", victim);
      assertFalse(result.isSuccess());
      assertTrue(result.failure().orElseThrow().contains("rank " + victim), result.toString());
      assertEquals(result.statuses().get(victim).code(), 77);
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldShowBothCallsWhenRanksDisagree() {
    JobResult result =
        run(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), NEVER_REACHED, "mismatch", 2);
    assertFalse(result.isSuccess());
    assertTrue(
        result.failure().orElseThrow().contains("rank 2 called all_reduce of 101 f32"),
        result.toString());
  }

  /** They agree on the tuner's name, which is all that they can ask of it when they join. */
  @Test(timeOut = LIMIT_MS)
  public void shouldShowBothAlgorithmsWhenATunerChoosesUnlike() {
    JobResult result =
        TestJobs.run(
            TestJobs.of(
                    ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), NEVER_REACHED, "planned unlike", 2)
                .withSettings(TestJobs.unlike(Map.of("tuner", TestTuner.NAME))),
            false);
    assertFalse(result.isSuccess());
    assertTrue(
        result
            .failure()
            .orElseThrow()
            .contains("plans all_reduce of 100 f32 by sum as pieces, but rank 2 as direct;"),
        result.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldShowBothSizesWhenAMessageDoesNotFit() {
    JobResult result = run(ClusterSpec.parse("emu-nvidia:1,emu-amd:1"), NEVER_REACHED, "uneven", 0);
    assertFalse(result.isSuccess());
    String failure = result.failure().orElseThrow();
    assertTrue(failure.contains("28 bytes") && failure.contains("20 bytes"), failure);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatNeverCame() {
    JobResult result = run(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), REACHED, "absent", 2);
    assertFalse(result.isSuccess());
    String failure = result.failure().orElseThrow();
    assertTrue(
        failure.matches(".*(did not come within .*: rank 2\\. |'rendezvous/(up/2|all)').*"),
        failure);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankOfAnotherProtocolVersion() {
    JobResult result =
        run(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), NEVER_REACHED, "protocol", 2);
    assertFalse(result.isSuccess());
    String failure = result.failure().orElseThrow();
    assertTrue(failure.contains("rank 2 (emu-amd, pid "), failure);
    assertTrue(failure.contains("needs 3 or later; run the same build everywhere"), failure);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatDidNotCall() {
    JobResult result = run(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), REACHED, "late", 2);
    assertFalse(result.isSuccess());
    assertTrue(result.failure().orElseThrow().contains("no vote from rank 2"), result.toString());
  }

  /** All of them find what they should, and end with 0; nobody waits for a deadline. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatIsStoppedAndTellItWhenItGoesOn() {
    JobResult result =
        TestJobs.run(
            TestJobs.of(ClusterSpec.parse("emu-nvidia:2,emu-amd:1"), NEVER_REACHED, "stopped", 2)
                .withTimes(NEVER_REACHED, NEVER_REACHED)
                .withSettings(TestJobs.unlike(Map.of("liveness_ms", "1500"))),
            true);
    assertEquals(
        result.statuses().stream().map(ExitStatus::code).toList(),
        List.of(0, 0, 0),
        result.toString());
  }

  /** One waits for it in the library, the other at the store. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNameTheRankThatIsStoppedWhileAllJoin() {
    long from = System.nanoTime();
    JobResult result =
        TestJobs.run(
            TestJobs.of(
                    ClusterSpec.parse("emu-nvidia:1,emu-amd:2"),
                    NEVER_REACHED,
                    "stop in the join",
                    2)
                .withSettings(TestJobs.unlike(Map.of("liveness_ms", "1500"))),
            false);
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    assertTrue(took.compareTo(NEVER_REACHED) < 0, "this waited for a deadline: " + took);
    String failure = result.failure().orElseThrow();
    assertTrue(failure.matches("rank 2 \\(pid \\d+ on host .* is stopped by a signal .*"), failure);
    assertEquals(result.statuses().get(0).code(), 1, result.toString());
    assertEquals(result.statuses().get(1).code(), 1, result.toString());
  }

  /** Long before its silence is reported. */
  @Test(timeOut = LIMIT_MS)
  public void shouldSayThatARankIsStoppedWhenADeadlineIsMissedBecauseOfIt() {
    JobResult result =
        TestJobs.run(
            TestJobs.of(
                    ClusterSpec.parse("emu-nvidia:2,emu-amd:1"),
                    NEVER_REACHED,
                    "stopped until a deadline",
                    2)
                .withTimes(NEVER_REACHED, NEVER_REACHED)
                .withSettings(TestJobs.unlike(Map.of("liveness_ms", "60000"))),
            true);
    assertEquals(
        result.statuses().stream().map(ExitStatus::code).toList(),
        List.of(0, 0, 0),
        result.toString());
  }

  private static JobResult run(ClusterSpec clusters, Duration timeout, String behaviour, int odd) {
    return TestJobs.run(TestJobs.of(clusters, timeout, behaviour, odd), false);
  }
}
