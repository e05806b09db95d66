// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Availability;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Connections of jobs of real processes and several vendors, one of which dies. */
public class ConnectedJobsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ExitStatus KILLED = new ExitStatus(128 + 9);

  private final String token = JobToken.random().hex();
  private final StillPort ports = new StillPort();

  private HcaFile hca;

  @BeforeClass
  public void unpackTheHca() throws IOException {
    hca = new HcaFile();
  }

  @AfterClass(alwaysRun = true)
  public void removeTheHca() throws IOException {
    hca.close();
  }

  private JobResult run(String clusters, String role, String fate, int port, String fabric) {
    JobSpec job =
        JobSpec.of(
                ClusterSpec.parse(clusters),
                ConnectedRank.class,
                role,
                fate,
                Integer.toString(port),
                token,
                fabric)
            .withSettings(ImmutableSortedMap.of("fabrics", fabric, "ibverbs", hca.path()))
            .withJvmFlags("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
            .withTimes(TIMEOUT, Duration.ofSeconds(2));
    return TestJobs.run(job, !fate.equals("die"));
  }

  /** Who accepts takes along, when it dies, the store in which both have met. */
  @DataProvider
  public Object[][] roles() {
    return new Rows()
        .all(new Object[][] {{"accept", "connect", "shm"}, {"connect", "accept", "shm"}})
        .oneOf(
            new Object[][] {
              {"accept", "connect", "rc"},
              {"connect", "accept", "uc"},
              {"accept", "connect", "ud"},
              {"connect", "accept", "tcp"},
              {"accept", "connect", "ucx"},
            })
        .toArray();
  }

  @Test(timeOut = 240_000, dataProvider = "roles")
  public void shouldOutliveTheOtherSideAndMeetItsSuccessorAtTheSameAddress(
      String role, String others, String fabric) {
    if (fabric.equals("ucx")
        && Fabrics.named(fabric).availability(Map.of()) instanceof Availability.Missing missing) {
      throw new SkipException("no UCX here: " + missing.cause() + "; " + missing.fix());
    }
    int port = ports.find().getPort();
    CompletableFuture<JobResult> survivors =
        ThreadRanks.later(() -> run("host:1,emu-nvidia:1", role, "twice", port, fabric));
    JobResult dead = run("emu-nvidia:2", others, "die", port, fabric);
    assertEquals(dead.statuses().get(1), KILLED);
    JobResult next = run("emu-amd:1", others, "once", port, fabric);
    assertTrue(next.isSuccess(), next.toString());
    assertTrue(survivors.join().isSuccess(), survivors.join().toString());
  }
}
