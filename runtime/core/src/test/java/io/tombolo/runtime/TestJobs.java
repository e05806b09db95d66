// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankPool;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Jobs whose ranks are {@link TestRank}s in small JVMs. */
final class TestJobs {
  private static final Duration GRACE = Duration.ofSeconds(2);

  /**
   * As vendors do, the emulated ones differ: in how long a piece of work takes, and joining a
   * communicator; what they declare differs by itself, and one wants equal counts. Reducer threads
   * there are on a small machine, too.
   */
  private static final ImmutableSortedMap<String, String> UNLIKE =
      ImmutableSortedMap.of(
          "emu_slow_us", "emu-nvidia:20,emu-amd:200,emu-ascend:80",
          "emu_slow_init_ms", "emu-nvidia:10,emu-amd:250,emu-intel:80,emu-kunlunxin:150",
          "emu_equal_counts_only", "emu-amd",
          "reducers", "2");

  private TestJobs() {}

  /** A job whose ranks behave as said; the one called {@code odd} differs from the rest. */
  static JobSpec of(ClusterSpec clusters, Duration timeout, String behaviour, int odd) {
    return JobSpec.of(clusters, TestRank.class, behaviour, Integer.toString(odd))
        .withJvmFlags("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
        .withSettings(UNLIKE)
        .withTimes(timeout, GRACE);
  }

  /** {@code settings}, and those that make vendors differ. */
  static ImmutableSortedMap<String, String> unlike(Map<String, String> settings) {
    return ImmutableSortedMap.<String, String>naturalOrder()
        .putAll(UNLIKE)
        .putAll(settings)
        .buildOrThrow();
  }

  /** As {@link #run(JobSpec, boolean)}, in the processes of {@code pool}. */
  static JobResult run(JobSpec job, RankPool pool) throws IOException, InterruptedException {
    JobResult result = pool.run(job);
    if (!result.isSuccess()) {
      System.out.println(pool.output());
    }
    return result;
  }

  /** Runs {@code job}; what its ranks said is printed if it fails and {@code showsOutput}. */
  static JobResult run(JobSpec job, boolean showsOutput) {
    Map<Integer, StringBuilder> output = new ConcurrentHashMap<>();
    JobResult result =
        JobLauncher.run(
            job,
            new RankEvents() {
              @Override
              public void onEvent(int rank, String json) {}

              @Override
              public void onOutput(int rank, String line) {
                output.computeIfAbsent(rank, key -> new StringBuilder()).append(line).append('\n');
              }
            });
    if (!result.isSuccess() && showsOutput) {
      System.out.println(output);
    }
    return result;
  }
}
