// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A rank of its own process, which calls until it is killed; the others, threads of this process,
 * make the same calls. For one death.
 */
final class MortalRank {
  private static final int ELEMENTS = 1_000;

  private Process process;

  /** Starts the process; what it says is shown. */
  void start(JobEnvironment environment) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            MortalRank.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment.toVariables());
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process's own part. */
  public static void main(String[] args) {
    try (Communicator all = Communicator.join(JobEnvironment.from(System.getenv()))) {
      callUntilItFails(all, call -> {});
    }
  }

  /**
   * A survivor's part: makes calls until one of them fails.
   *
   * @param kills kills the process after so many calls; -1 if another rank does
   */
  void call(Communicator all, int kills) {
    callUntilItFails(
        all,
        call -> {
          if (call == kills) {
            process.destroyForcibly();
          }
        });
  }

  private interface Before {
    void call(int number);
  }

  private static void callUntilItFails(Communicator all, Before before) {
    DeviceVector vector = DeviceVector.of(all, new float[ELEMENTS]);
    Work work = null;
    try {
      for (int call = 0; ; call++) {
        before.call(call);
        work = all.allReduce(vector.buffer(), Reduction.sum(), vector.stream());
        work.await(ThreadRanks.LONG);
      }
    } catch (TomboloException e) {
      ThreadRanks.failureOf(all);
      if (work == null || work.buffersReleased()) {
        vector.close();
      } else {
        vector.stream().close(); // its thread would stay; the memory has to
      }
    }
  }
}
