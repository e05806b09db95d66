// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankProgram;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.io.CalibrationJson;

/** What one rank of {@link MeasurementTest} runs: measures, keeps it, joins. */
public final class MeasuringRank {
  private MeasuringRank() {}

  /** Tells the launcher two calibrations as JSON: what was measured, what was agreed on. */
  public static void main(String[] arguments) {
    RankProgram.runAndExit(
        environment -> {
          if (Integer.toString(environment.rank()).equals(arguments[0])) {
            return; // absent
          }
          Calibration measured = Measurement.run(environment, (done, all, path) -> {});
          tell(measured);
          if (environment.rank() == 0) {
            CalibrationFiles.of(System.getenv()).save(measured);
          }
          try (Communicator communicator = Communicator.join(environment)) {
            tell(communicator.context().calibration());
          }
        });
  }

  private static void tell(Calibration calibration) {
    System.out.println(RankEvents.line(CalibrationJson.write(calibration).replace("\n", "")));
  }
}
