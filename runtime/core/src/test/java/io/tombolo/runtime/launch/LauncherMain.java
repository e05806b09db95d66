// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import java.time.Duration;
import java.util.Optional;

/**
 * A launcher in a process of its own, for tests that kill it; prints the process ids of its ranks.
 */
public final class LauncherMain {
  private LauncherMain() {}

  /**
   * Launches {@link RankMain} with {@code args[0]} on two ranks, with {@code args[1]} on two hosts
   * by that command.
   */
  public static void main(String[] args) {
    JobSpec job =
        JobSpec.of(ClusterSpec.parse("a:1,b:1"), RankMain.class, args[0], "300")
            .withJvmFlags("-XX:TieredStopAtLevel=1", "-Xmx32m", "-XX:+UseSerialGC", "-Xshare:auto")
            .withTimes(Duration.ofSeconds(60), Duration.ofSeconds(1));
    if (args.length > 1) {
      job = job.on(Placement.parse("h1,h2", args[1], Optional.of("127.0.0.1")));
    }
    JobResult result = JobLauncher.run(job, new Printer());
    System.exit(result.isSuccess() ? 0 : 1);
  }

  private static final class Printer implements RankEvents {
    @Override
    public void onStart(int rank, String vendor, long pid) {
      System.out.println("pid " + pid);
    }

    @Override
    public void onEvent(int rank, String json) {
      System.out.println("event " + json);
    }

    @Override
    public void onOutput(int rank, String line) {
      System.out.println(line);
    }
  }
}
