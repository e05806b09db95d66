// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankFiles;
import io.tombolo.runtime.launch.RankProgram;

/**
 * The program of a rank that {@link DemoCommand} has started; its arguments are {@link
 * TrainingOptions}.
 */
public final class DemoRank {
  private DemoRank() {}

  /** Runs the rank. */
  public static void main(String[] arguments) {
    RankFiles.checkOrExit();
    TrainingOptions options = TrainingOptions.parse(arguments);
    RankProgram.runAndExit(
        options.grace(),
        environment -> new RankTraining(environment, options, DemoRank::tell).run());
  }

  private static void tell(RankReport report) {
    System.out.println(RankEvents.line(report.toJson()));
  }
}
