// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankPool;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs whose NICs read and write the memory of devices, or the stages, themselves. */
public final class DirectJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Map<String, String> RC = Map.of("fabrics", "rc");
  private static final Map<String, String> BY_DEVICE = Map.of("fabrics", "rc", "reduce", "device");
  private static final Map<String, String> UC = Map.of("fabrics", "uc", "faults", "loss=1%");

  private final RankPool pool = new RankPool();
  private HcaFile hca;

  @BeforeClass
  public void unpackTheHca() throws IOException {
    hca = new HcaFile();
  }

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() throws IOException {
    pool.close();
    hca.close();
  }

  /** What the device reads of it was flushed first, else these bytes would differ. */
  @Test(timeOut = 300_000)
  public void shouldCopyNothingOfMessagesBetweenDevicesThatNicsReach() throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-kunlunxin:1", "direct messages"));
  }

  @Test(timeOut = 300_000)
  public void shouldStageNothingOfWhatItSendsWhenPacketsGetLost() throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-kunlunxin:1", "direct messages out", UC));
  }

  /** Then the NIC is given a mapping of it. Last, because the setting takes other processes. */
  @Test(timeOut = 300_000, priority = 1)
  public void shouldCopyNothingOfMessagesWhereTheDriverTakesNoDmaBuf() throws Exception {
    Map<String, String> fabric = Map.of("fabrics", "rc", "hca_no_dmabuf", "1");
    assertSuccess(run("emu-nvidia:1,emu-kunlunxin:1", "direct messages", fabric));
  }

  @Test(timeOut = 300_000)
  public void shouldStageNothingOfVectorsButWhatIsCombined() throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-kunlunxin:1", "direct vectors", RC));
  }

  /** No NIC reaches the other rank's device, which combines as well. */
  @Test(timeOut = 300_000)
  public void shouldStageNothingOfVectorsThatTheDeviceCombines() throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-amd:1", "direct vectors by the device", BY_DEVICE));
  }

  @DataProvider
  public Object[][] hosts() {
    return new Object[][] {
      {"host:1,emu-amd:1", "pinned vectors"}, {"host:2,emu-amd:1", "everything"},
    };
  }

  /** Any channel copies from and to the host's memory, and the host engine combines in it. */
  @Test(timeOut = 300_000, dataProvider = "hosts")
  public void shouldStageNothingOfVectorsInTheHostsMemory(String clusters, String behaviour)
      throws Exception {
    assertSuccess(run(clusters, behaviour, Map.of("fabrics", "shm")));
  }

  @DataProvider
  public Object[][] combinations() {
    return new Object[][] {
      {"emu-nvidia:1,emu-amd:1", "reductions by the device"},
      {"emu-nvidia:2,emu-amd:2", "direct everything"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "combinations")
  public void shouldCombineExactlyOnDevicesThatNicsReach(String clusters, String behaviour)
      throws Exception {
    assertSuccess(run(clusters, behaviour, BY_DEVICE));
  }

  @Test(timeOut = 300_000)
  public void shouldStageNothingOfVectorsOnTheirWayOutWhenPacketsGetLost() throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-kunlunxin:1", "direct vectors out", UC));
  }

  /** Rank 0 ends by itself, or is ended with the job; it does not find anything wrong. */
  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldTellTheSurvivorAndKeepItsMemoryWhenThePeerDies(Map<String, String> fabric)
      throws Exception {
    JobResult result = run("emu-nvidia:1,emu-kunlunxin:1", "direct death", fabric);
    assertEquals(result.statuses().get(1).code(), 77);
    assertNotEquals(result.statuses().get(0).code(), 1, result.toString());
    assertTrue(result.failure().orElseThrow().contains("rank 1"), result.toString());
  }

  @DataProvider
  public Object[][] aborts() {
    return new Rows()
        .oneOf(new Object[][] {{RC, "receiver"}, {RC, "sender"}, {UC, "sender"}})
        .toArray();
  }

  @Test(timeOut = 300_000, dataProvider = "aborts")
  public void shouldTellBothAndKeepTheirMemoryWhenAMessageIsAbortedInFlight(
      Map<String, String> fabric, String who) throws Exception {
    JobResult result = run("emu-nvidia:1,emu-kunlunxin:1", "direct abort by the " + who, fabric);
    result.statuses().forEach(status -> assertNotEquals(status.code(), 1, result.toString()));
    assertTrue(result.failure().orElseThrow().contains("aborted"), result.toString());
  }

  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldComputeExactlyWhereNicsReachDevices(Map<String, String> fabric)
      throws Exception {
    assertSuccess(run("emu-nvidia:2,emu-kunlunxin:2", "direct everything", fabric));
  }

  @Test(timeOut = 300_000)
  public void shouldComputeExactlyWhereNicsReachSomeDevices() throws Exception {
    assertSuccess(run("emu-nvidia:2,emu-amd:1", "direct everything"));
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Rows().oneOf(new Object[][] {{RC}, {UC}}).toArray();
  }

  /** Each rank checks what it was not to copy; see {@code TestRank}. */
  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldComputeExactlyAndLetTheNicReadWhatItSends(Map<String, String> fabric)
      throws Exception {
    assertSuccess(run("emu-nvidia:1,emu-amd:2", "direct", fabric));
  }

  private static void assertSuccess(JobResult result) {
    assertTrue(result.isSuccess(), result.toString());
  }

  private JobResult run(String clusters, String behaviour) throws Exception {
    return run(clusters, behaviour, RC);
  }

  private JobResult run(String clusters, String behaviour, Map<String, String> fabric)
      throws Exception {
    Map<String, String> settings = new HashMap<>(fabric);
    settings.put("ibverbs", hca.path());
    settings.put("verify_plans", "1");
    JobSpec job =
        TestJobs.of(ClusterSpec.parse(clusters), TIMEOUT, behaviour, 1)
            .withSettings(TestJobs.unlike(settings));
    return TestJobs.run(job, pool);
  }
}
