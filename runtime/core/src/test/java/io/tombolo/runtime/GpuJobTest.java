// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs with NCCL and CUDA themselves, whose ranks share the first GPU. */
public final class GpuJobTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /**
   * NCCL alone, beside host ranks, and beside these and oneCCL; then kernels made by NVRTC, and
   * frees meanwhile.
   */
  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {
      {"nvidia:3", "everything", "auto"},
      {"nvidia:2,host:2", "everything", "auto"},
      {"nvidia:2,host:1,intel:2", "types", "auto"},
      {"nvidia:1,host:1", "reductions by the device", "device"},
      {"nvidia:2,host:1", "stream order", "device"},
      {"nvidia:1,host:1", "strict frees", "auto"},
      {"nvidia:2,host:1", "strict frees", "device"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldComputeExactlyOnOneGpu(String clusters, String behaviour, String reduce) {
    ClusterSpec spec = ClusterSpec.parse(clusters);
    spec.vendors().stream().distinct().forEach(GpuJobTest::require);
    JobSpec job =
        JobSpec.of(spec, GpuRank.class, behaviour, "-1")
            .withJvmFlags("-Xmx256m", "-XX:+UseSerialGC")
            .withSettings(ImmutableSortedMap.of("device", "0", "reduce", reduce))
            .withTimes(LIMIT, JobSpec.DEFAULT_GRACE);
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }

  private static void require(String vendor) {
    if (Vendors.named(vendor).availability() instanceof Availability.Missing missing) {
      throw new SkipException(
          vendor + " cannot be used here: " + missing.cause() + "; " + missing.fix());
    }
  }
}
