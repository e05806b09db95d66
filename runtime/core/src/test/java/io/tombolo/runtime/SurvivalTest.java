// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs of real processes of which some are killed: the others go on where they should. */
public class SurvivalTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** The launcher lets them. */
  private static final Duration GRACE = Duration.ofMinutes(10);

  private static final long LIMIT_MS = 300_000;

  private static final int KILLED = 128 + 9;

  private static void run(String clusters, String behaviour, int odd, List<Integer> codes) {
    JobResult result =
        TestJobs.run(
            TestJobs.of(ClusterSpec.parse(clusters), TIMEOUT, behaviour, odd)
                .withTimes(TIMEOUT, GRACE),
            true);
    assertEquals(
        result.statuses().stream().map(ExitStatus::code).toList(), codes, result.toString());
  }

  /** In the last job a cluster vanishes; in the first the rank dies that leads all. */
  @DataProvider
  public Object[][] deaths() {
    return new Object[][] {
      {"emu-nvidia:2,emu-amd:1", 0, List.of(KILLED, 0, 0)},
      {"emu-nvidia:2,emu-amd:1", 2, List.of(0, 0, KILLED)},
    };
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "deaths")
  public void shouldGoOnWithoutTheRankThatDied(String clusters, int victim, List<Integer> codes) {
    run(clusters, "survive", victim, codes);
  }

  /** Rank 1 dies first, and then who is last of those that went on. */
  @Test(timeOut = LIMIT_MS)
  public void shouldGoOnAfterASecondDeath() {
    run("emu-nvidia:2,emu-amd:2", "survive twice", 1, List.of(0, KILLED, 0, KILLED));
  }

  /** Rank 0 takes the store along in which all met. */
  @Test(timeOut = LIMIT_MS)
  public void shouldGoOnWithoutTheStoreOfTheRankThatDied() {
    run("emu-nvidia:2,emu-amd:1", "survive without the store", 0, List.of(KILLED, 0, 0));
  }

  /** A new process takes its place. */
  @Test(timeOut = LIMIT_MS)
  public void shouldReplaceARankThatDied() {
    run("emu-nvidia:2,emu-amd:1", "replace", 1, List.of(0, KILLED, 0));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNotGoOnWithoutAMajority() {
    run("emu-nvidia:3,emu-amd:2", "no quorum", -1, List.of(0, 0, KILLED, KILLED, KILLED));
  }
}
