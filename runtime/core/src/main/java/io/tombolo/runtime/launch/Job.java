// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.topology.launch.LaunchEnvironment;
import java.util.function.Consumer;

/**
 * A program that is its own launcher: started by a person it starts itself once per rank, started
 * by a launcher, ours or another, it is a rank.
 */
public final class Job {
  private Job() {}

  /**
   * Runs {@code rank} on every rank of a job, then ends this process; never returns. As a launcher
   * it prints what the ranks print, as they print it, and the failure that ended the job, if one
   * did; its exit status is then 1. Waits are as long as this process's environment says.
   *
   * @param clusters vendors and numbers of ranks, for when this process is the launcher: {@code
   *     emu-nvidia:2,emu-amd:2}
   * @param main the class whose main method calls this
   * @param rank what a rank does, with a communicator of all ranks that is closed afterwards
   */
  public static void run(String clusters, Class<?> main, Consumer<Communicator> rank) {
    if (LaunchEnvironment.of(System.getenv()).rank().isPresent()) {
      RankProgram.runAndExit(
          environment -> {
            try (Communicator communicator = Communicator.join(environment)) {
              rank.accept(communicator);
            }
          });
    }
    JobSpec job =
        JobSpec.of(ClusterSpec.parse(clusters), main)
            .withTimes(JobEnvironment.timeoutOf(System.getenv()), JobSpec.DEFAULT_GRACE);
    JobResult result = JobLauncher.run(job, new Printing());
    result.failure().ifPresent(System.err::println);
    System.exit(result.isSuccess() ? 0 : 1);
  }

  /** Passes on the lines of all ranks. */
  private static final class Printing implements RankEvents {
    @Override
    public void onEvent(int rank, String json) {}

    @Override
    public void onOutput(int rank, String line) {
      System.out.println(line);
    }

    @Override
    public void onWaiting(String text) {
      System.err.println(text);
    }
  }
}
