// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.gson.Gson;
import io.tombolo.cli.console.Console;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankLog;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.io.CalibrationJson;
import java.util.Optional;

/** Listens to rank 0 of a measurement: shows progress, and remembers the result. */
final class MeasureView implements RankEvents {
  private final Console console;
  private final RankLog log = new RankLog();
  private volatile Calibration result;
  private volatile String file = "";

  MeasureView(Console console) {
    this.console = console;
  }

  void show(MeasureEvent event) {
    if (event.calibration() == null) {
      console.progress(
          "  measuring %d of %d: %s".formatted(event.done(), event.all(), event.last()));
    } else {
      result = CalibrationJson.read(event.calibration(), "the result of rank 0");
      file = event.file();
    }
  }

  @Override
  public void onEvent(int rank, String json) {
    show(new Gson().fromJson(json, MeasureEvent.class));
  }

  @Override
  public void onOutput(int rank, String line) {
    log.add(rank, line);
  }

  @Override
  public void onWaiting(String text) {
    console.progress("  " + text);
  }

  /** What was measured, once rank 0 has said so. */
  Optional<Calibration> result() {
    return Optional.ofNullable(result);
  }

  /** The file where rank 0 keeps it. */
  String file() {
    return file;
  }
}
