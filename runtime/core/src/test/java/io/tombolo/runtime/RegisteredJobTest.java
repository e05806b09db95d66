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
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Registered memory in whole jobs. */
public class RegisteredJobTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  @Test(timeOut = 300_000)
  public void shouldSumExactlyInRegisteredMemoryAndBesideIt() throws Exception {
    JobResult result = TestJobs.run(job("host:3", "registered", -1), pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  @DataProvider
  public Object[][] jobsWithout() {
    return new Object[][] {{"host:1,emu-amd:1"}, {"host:2,emu-amd:1"}, {"emu-nvidia:2"}};
  }

  @Test(timeOut = 300_000, dataProvider = "jobsWithout")
  public void shouldGiveOrdinaryMemoryWhereNotAllRanksCanRegister(String clusters)
      throws Exception {
    JobResult result = TestJobs.run(job(clusters, "registered nowhere", -1), pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldNameBothCallsWhenOneRankRegistersAndAnotherDoesNot() {
    JobResult result = TestJobs.run(job("host:2", "register mismatch", 1), false);
    assertFalse(result.isSuccess());
    String failure = result.failure().orElseThrow();
    assertTrue(failure.contains("rank 1 called all_reduce of 101 f32"), result.toString());
    assertTrue(failure.contains("barrier"), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldTellTheOthersWhenOneDiesWhileTheyRegister() {
    JobSpec job = job("host:3", "die registering", 1).withTimes(LIMIT, LIMIT);
    JobResult result = TestJobs.run(job, false);
    List<Integer> codes =
        result.statuses().stream().map(ExitStatus::code).collect(Collectors.toList());
    assertEquals(codes, List.of(0, RegisteredSums.EXIT_CODE, 0), result.toString());
    assertTrue(result.failure().orElseThrow().startsWith("rank 1 (host"), result.toString());
  }

  private static JobSpec job(String clusters, String behaviour, int odd) {
    return TestJobs.of(ClusterSpec.parse(clusters), LIMIT, behaviour, odd);
  }
}
