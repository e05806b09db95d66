// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.io.CalibrationJson;
import java.util.Optional;

/**
 * What rank 0 of a measurement says: how far it is, or the result.
 *
 * @param done turns that are over
 * @param all turns in all
 * @param last what the last one measured, in words
 * @param calibration the result as JSON; null before the end
 * @param file where it is kept; null before the end
 */
record MeasureEvent(int done, int all, String last, String calibration, String file) {

  static MeasureEvent progress(int done, int all, Optional<MeasuredPath> path) {
    String last =
        path.map(
                each ->
                    "%s %s, r%d – r%d"
                        .formatted(each.kind().text(), each.name(), each.from(), each.to()))
            .orElse("not possible");
    return new MeasureEvent(done, all, last, null, null);
  }

  static MeasureEvent result(Calibration calibration, String file) {
    return new MeasureEvent(0, 0, "", CalibrationJson.write(calibration), file);
  }
}
