// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.DeviceVector;
import io.tombolo.runtime.launch.RankProgram;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.recorder.FlightLog;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A rank whose job goes wrong: after five sums that end well, rank 1 stays away from the sixth, and
 * rank 2 is killed in it, but not while there is a file {@link #HOLD} in the recorder's folder.
 */
public final class TracedRank {
  /** Who looks at the job in its sixth sum makes it before, and deletes it then. */
  static final String HOLD = "hold";

  private static final int GOOD_SUMS = 5;

  private TracedRank() {}

  /** Runs the rank. */
  public static void main(String[] arguments) {
    RankProgram.runAndExit(
        environment -> {
          try (Communicator communicator = Communicator.join(environment);
              DeviceVector vector = DeviceVector.of(communicator, new float[1024])) {
            for (int i = 0; i < GOOD_SUMS; i++) {
              sum(communicator, vector).await();
            }
            switch (communicator.rank()) {
              case 1 -> stayAway(communicator);
              case 2 -> {
                sum(communicator, vector);
                Path folder = Path.of(environment.settings().get("recorder"));
                awaitCalls(folder);
                awaitLook(folder.resolve(HOLD));
                kill();
              }
              default -> sum(communicator, vector).await();
            }
          }
        });
  }

  private static Work sum(Communicator communicator, DeviceVector vector) {
    return communicator.allReduce(vector.buffer(), Reduction.sum(), vector.stream());
  }

  private static void stayAway(Communicator communicator) {
    while (communicator.failure().isEmpty()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    throw communicator.failure().get();
  }

  /** By what they record: all but rank 1 are in steps of the sixth call. */
  private static void awaitCalls(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> callers =
          files.filter(file -> file.getFileName().toString().matches("rank-[023]\\..*")).toList();
      while (!callers.stream().allMatch(TracedRank::isInTheLastCall)) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot see who calls", e);
    }
  }

  private static void awaitLook(Path hold) {
    while (Files.exists(hold)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private static boolean isInTheLastCall(Path file) {
    return FlightLog.read(file).collectives().stream()
        .anyMatch(each -> each.sequence() == GOOD_SUMS + 1 && each.step().isPresent());
  }

  private static void kill() {
    try {
      new ProcessBuilder("sh", "-c", "kill -9 $PPID").start().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("cannot kill this process", e);
    }
  }
}
