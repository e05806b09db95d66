// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.JobToken;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Connections of jobs of real processes and several vendors, one of which dies. */
public class ConnectedJobsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ExitStatus KILLED = new ExitStatus(128 + 9);

  private final String token = JobToken.random().hex();
  private final StillPort ports = new StillPort();

  private JobResult run(String clusters, String role, String fate, int port) {
    JobSpec job =
        JobSpec.of(
                ClusterSpec.parse(clusters),
                ConnectedRank.class,
                role,
                fate,
                Integer.toString(port),
                token)
            .withJvmFlags("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
            .withTimes(TIMEOUT, Duration.ofSeconds(2));
    return TestJobs.run(job, !fate.equals("die"));
  }

  /** Who accepts takes along, when it dies, the store in which both have met. */
  @DataProvider
  public Object[][] roles() {
    return new Object[][] {{"accept", "connect"}, {"connect", "accept"}};
  }

  @Test(timeOut = 240_000, dataProvider = "roles")
  public void shouldOutliveTheOtherSideAndMeetItsSuccessorAtTheSameAddress(
      String role, String others) {
    int port = ports.find().getPort();
    CompletableFuture<JobResult> survivors =
        ThreadRanks.later(() -> run("host:1,emu-nvidia:1", role, "twice", port));
    JobResult dead = run("emu-nvidia:2", others, "die", port);
    assertEquals(dead.statuses().get(1), KILLED);
    JobResult next = run("emu-amd:1", others, "once", port);
    assertTrue(next.isSuccess(), next.toString());
    assertTrue(survivors.join().isSuccess(), survivors.join().toString());
  }
}
