// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankPool;
import java.time.Duration;
import java.util.Map;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whole jobs of real processes over emulated vendors, in every sort of order. {@link
 * TroubledJobTest} has those that fail.
 */
public class MixedJobTest {
  private static final Duration ONE_CCL_LIMIT = Duration.ofSeconds(60);

  /** Longer than any of these jobs takes, however slowly a busy machine starts the ranks. */
  private static final Duration NEVER_REACHED = Duration.ofSeconds(90);

  /** Later than the job's own end, which tells more; {@code -Pdeep} has jobs of minutes. */
  private static final long LIMIT_MS = 900_000;

  private final RankPool pool = new RankPool();

  @AfterClass(alwaysRun = true)
  public void endTheProcesses() {
    pool.close();
  }

  @DataProvider
  public Object[][] worlds() {
    return new Rows()
        .all(
            new Object[][] {
              {"emu-nvidia:1,emu-amd:1", null},
              {"emu-nvidia:2,emu-amd:2", "emu-nvidia,emu-amd,emu-amd,emu-nvidia"},
              {
                "emu-nvidia:1,emu-amd:2,emu-intel:2",
                "emu-amd,emu-intel,emu-nvidia,emu-amd,emu-intel"
              },
            })
        .oneOf(
            new Object[][] {
              {"emu-nvidia:3", null},
              {"emu-ascend:2,emu-nvidia:2", "emu-ascend,emu-nvidia,emu-nvidia,emu-ascend"},
              {
                "emu-gaudi:2,emu-kunlunxin-xre:2",
                "emu-gaudi,emu-kunlunxin-xre,emu-gaudi,emu-kunlunxin-xre"
              },
            })
        .toArray();
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "worlds")
  public void shouldComputeExactlyAndMoveWhatWasPlanned(String clusters, String order)
      throws Exception {
    JobResult result = run(spec(clusters, order), NEVER_REACHED, "sums");
    assertTrue(result.isSuccess(), result.toString());
  }

  @DataProvider
  public Object[][] behaviours() {
    return new Rows()
        .all(
            new Object[][] {
              {"emu-nvidia:2,emu-amd:2", "emu-nvidia,emu-amd,emu-amd,emu-nvidia", "everything"},
              {"emu-nvidia:1,emu-amd:2,emu-intel:2", null, "everything"},
              {"emu-nvidia:3", null, "everything"},
              {"emu-nvidia:2,emu-amd:2", "emu-nvidia,emu-amd,emu-amd,emu-nvidia", "split"},
              {"emu-nvidia:2,emu-amd:2", "emu-nvidia,emu-amd,emu-amd,emu-nvidia", "group"},
              {"emu-nvidia:2,emu-amd:1", null, "types"},
            })
        .oneOf(
            new Object[][] {
              {"emu-ascend:2,emu-kunlunxin:2", null, "everything"},
              {"emu-cambricon:2,emu-nvidia:1", null, "everything"},
              {"emu-gaudi:2,emu-kunlunxin-xre:1", null, "everything"},
            })
        .oneOf(
            new Object[][] {
              {"emu-nvidia:1,emu-amd:2,emu-intel:2", null, "group"},
              {"emu-nvidia:3", null, "group"},
            })
        .toArray();
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "behaviours")
  public void shouldDoEveryOperationExactly(String clusters, String order, String behaviour)
      throws Exception {
    JobResult result = run(spec(clusters, order), NEVER_REACHED, behaviour);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Streams that wait by words, and those whose caller has to wait. */
  @DataProvider
  public Object[][] orders() {
    return new Object[][] {
      {"emu-nvidia:2"}, {"emu-gaudi:2"}, {"emu-kunlunxin-xre:2,emu-cambricon:1,emu-gaudi:1"},
    };
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "orders")
  public void shouldKeepTheOrderOfItsCallersStreamsWhoWaitsForNothing(String clusters)
      throws Exception {
    JobSpec job =
        TestJobs.of(spec(clusters, null), NEVER_REACHED, "stream order", -1)
            .withSettings(ImmutableSortedMap.of("emu_slow_us", "5000"));
    JobResult result = TestJobs.run(job, pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** By gates: where queues are not shared. */
  @Test(timeOut = LIMIT_MS)
  public void shouldKeepTheOrderOfStreamsThatWaitByGates() {
    JobSpec job =
        TestJobs.of(spec("emu-cambricon:2", null), NEVER_REACHED, "stream order", -1)
            .withSettings(ImmutableSortedMap.of("emu_slow_us", "5000", "emu_kind", "queues"));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Habits of the CUDA driver that was measured, which are off elsewhere. */
  @DataProvider
  public Object[][] unheld() {
    return new Object[][] {
      {"locks", "everything"},
      {"locks", "split"},
      {"locks", "group"},
      {"locks", "stream order"},
      {"shares", "everything"},
      {"shares", "split"},
      {"shares", "group"},
      {"shares", "stream order"},
    };
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "unheld")
  public void shouldDoTheSameWhereNoStreamIsHeld(String habit, String behaviour) {
    JobSpec job =
        TestJobs.of(spec("emu-nvidia:2,emu-amd:1", null), NEVER_REACHED, behaviour, -1)
            .withSettings(TestJobs.unlike(Map.of("emu_unkind", habit)));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Powers of two and others; in the last job the cost model chooses by itself. */
  @DataProvider
  public Object[][] doubled() {
    return new Rows()
        .all(
            new Object[][] {
              {"emu-nvidia:1,emu-amd:2,emu-intel:1", Map.of("algorithms", "all_reduce@doubling")}
            })
        .oneOf(
            new Object[][] {
              {
                "emu-nvidia:1,emu-amd:1,emu-intel:1,emu-ascend:1,emu-kunlunxin:1",
                Map.of("algorithms", "all_reduce:0-1m@doubling")
              },
              {"emu-nvidia:1,emu-amd:1,emu-intel:2,emu-ascend:1", Map.of()},
            })
        .toArray();
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "doubled")
  public void shouldDoubleExactly(String clusters, Map<String, String> settings) throws Exception {
    JobSpec job =
        TestJobs.of(spec(clusters, null), NEVER_REACHED, "doubling", -1)
            .withSettings(TestJobs.unlike(settings));
    JobResult result = TestJobs.run(job, pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  /** A real library: it declares less, is slower at the start, and knows no groups. */
  @Test(timeOut = LIMIT_MS)
  public void shouldDoEveryOperationInEveryTypeOverOneCcl() throws Exception {
    if (Vendors.named("intel").availability() instanceof Availability.Missing missing) {
      throw new SkipException(missing.cause() + "; " + missing.fix());
    }
    JobResult result =
        run(
            spec("intel:2,emu-nvidia:2", "intel,emu-nvidia,emu-nvidia,intel"),
            ONE_CCL_LIMIT,
            "types");
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Takes more than 4 GiB, and half a minute: with {@code -Pdeep} only. */
  @DataProvider
  public Object[][] huge() {
    return Boolean.getBoolean("tombolo.deep")
        ? new Object[][] {{"emu-nvidia:1,emu-amd:1"}}
        : new Object[0][];
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "huge")
  public void shouldSumMoreElementsThanAnIntCounts(String clusters) throws Exception {
    JobResult result = run(spec(clusters, null), Duration.ofMinutes(9), "huge");
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Two ranks call their vendor's library, the third has none to call. */
  @Test(timeOut = LIMIT_MS)
  public void shouldAllocateNextToNothingOnceItIsWarm() throws Exception {
    JobResult result = run(spec("emu-nvidia:2,emu-amd:1", null), NEVER_REACHED, "garbage");
    assertTrue(result.isSuccess(), result.toString());
  }

  /** Three NICs for four devices of each vendor: some carry nothing, one carries more. */
  @Test(timeOut = LIMIT_MS)
  public void shouldComputeExactlyWhereRelaysAreUneven() throws Exception {
    JobSpec job =
        TestJobs.of(
                spec("emu-nvidia:3,emu-amd:2", null), Duration.ofSeconds(20), "uneven relays", -1)
            .withSettings(
                TestJobs.unlike(
                    Map.of(
                        "relays",
                        "nics",
                        "simulated_machine",
                        "1x(5xemu-nvidia,5xemu-amd,2x400G,1x200G)",
                        "verify_plans",
                        "1")));
    JobResult result = TestJobs.run(job, pool);
    assertTrue(result.isSuccess(), result.toString());
  }

  private static ClusterSpec spec(String clusters, String order) {
    return order == null ? ClusterSpec.parse(clusters) : ClusterSpec.parse(clusters, order);
  }

  private JobResult run(ClusterSpec clusters, Duration timeout, String behaviour) throws Exception {
    return TestJobs.run(TestJobs.of(clusters, timeout, behaviour, -1), pool);
  }
}
