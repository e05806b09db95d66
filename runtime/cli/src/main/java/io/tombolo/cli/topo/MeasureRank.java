// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.gson.Gson;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankProgram;

/** The program of a rank that {@code topo --measure} has started. */
public final class MeasureRank {
  private MeasureRank() {}

  /** Measures; rank 0 tells the launcher {@link MeasureEvent}s as JSON. */
  public static void main(String[] arguments) {
    RankProgram.runAndExit(environment -> JoinedMeasurement.run(environment, MeasureRank::tell));
  }

  private static void tell(MeasureEvent event) {
    System.out.println(RankEvents.line(new Gson().toJson(event)));
  }
}
