// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.RankPool;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs that combine on emulated devices, by the kernels that real devices get. */
public final class ReductionJobTest {
  private static final Duration NEVER_REACHED = Duration.ofSeconds(90);

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  @DataProvider
  public Object[][] places() {
    return new Object[][] {
      {"emu-nvidia:1,emu-amd:1", "device", "reductions by the device"},
      {"emu-amd:1,emu-intel:1", "device", "reductions by the device"},
      {"emu-nvidia:1,emu-amd:1", "auto", "reductions by the host"},
      {"emu-nvidia:1,emu-ascend:1", "host", "reductions by the host"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "places")
  public void shouldGiveTheSameBitsWhereverItCombines(
      String clusters, String where, String behaviour) throws Exception {
    JobResult result = run(clusters, Map.of("reduce", where), behaviour);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Messages, divisions and the user's own function beside the device's kernels. */
  @Test(timeOut = 300_000)
  public void shouldDoEveryOperationExactlyWithKernels() throws Exception {
    JobResult result = run("emu-nvidia:2,emu-amd:2", Map.of("reduce", "device"), "everything");
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldAllocateNextToNothingWithKernels() throws Exception {
    JobResult result = run("emu-nvidia:2,emu-amd:1", Map.of("reduce", "device"), "garbage");
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseToStartWhereTheDeviceHasNoKernelsButMust() throws Exception {
    expectFailure(
        run("emu-nvidia:1,emu-ascend:1", Map.of("reduce", "device"), "sums"),
        "TOMBOLO_REDUCE=device, but the device does not reduce");
  }

  @Test(timeOut = 300_000)
  public void shouldSayWhatTheCompilerSaid() throws Exception {
    expectFailure(
        run(
            "emu-nvidia:1,emu-amd:1",
            Map.of("reduce", "device", "emu_compiler_fails", "emu-amd"),
            "sums"),
        "TOMBOLO_EMU_COMPILER_FAILS is set");
  }

  private static void expectFailure(JobResult result, String words) {
    assertFalse(result.isSuccess());
    assertTrue(result.failure().orElseThrow().contains(words), result.toString());
  }

  private JobResult run(String clusters, Map<String, String> settings, String behaviour)
      throws Exception {
    return TestJobs.run(
        TestJobs.of(ClusterSpec.parse(clusters), NEVER_REACHED, behaviour, -1)
            .withSettings(TestJobs.unlike(settings)),
        pool);
  }
}
