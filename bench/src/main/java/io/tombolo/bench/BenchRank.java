// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.gson.Gson;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankFiles;
import io.tombolo.runtime.launch.RankProgram;

/**
 * The program of a rank that {@link OperationCommand} has started: its argument is the settings'
 * JSON.
 */
public final class BenchRank {
  private BenchRank() {}

  /**
   * Runs the rank. What rank 0 has to say reaches the launcher as events: a JSON string is a line
   * to print, a JSON number is how many elements were wrong in all.
   */
  public static void main(String[] arguments) {
    RankFiles.checkOrExit();
    Settings settings = Settings.fromJson(arguments[0]);
    RankProgram.runAndExit(
        environment -> {
          long wrong = new JoinedRank(environment, settings, BenchRank::tell).run();
          if (environment.rank() == 0) {
            tell(wrong);
          }
        });
  }

  private static void tell(Object event) {
    System.out.println(RankEvents.line(new Gson().toJson(event)));
  }
}
