// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.measure.CalibrationFiles;
import io.tombolo.runtime.measure.Measurement;
import io.tombolo.topology.calibration.Calibration;
import java.util.function.Consumer;

/** One rank of a measurement, in whatever job it finds itself; rank 0 keeps the result. */
final class JoinedMeasurement {
  private JoinedMeasurement() {}

  /** Measures; on rank 0, {@code out} is told of progress and result. */
  static void run(JobEnvironment environment, Consumer<MeasureEvent> out) {
    boolean speaks = environment.rank() == 0;
    Calibration calibration =
        Measurement.run(
            environment,
            (done, all, path) -> {
              if (speaks) {
                out.accept(MeasureEvent.progress(done, all, path));
              }
            });
    if (speaks) {
      String file = CalibrationFiles.of(System.getenv()).save(calibration).toString();
      out.accept(MeasureEvent.result(calibration, file));
    }
  }
}
