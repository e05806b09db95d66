// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.LiveFiles;
import io.tombolo.topology.io.CalibrationJson;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * Brings a calibration into a job: rank 0's, for all ranks, so that none decides by figures that
 * others do not have.
 *
 * <p>The setting {@code calibration} of rank 0 says which: {@code auto}, what was measured of these
 * ranks before, if anything; {@code off}, none; else the name of a file.
 */
public final class Calibrations {
  private static final String AUTO = "auto";
  private static final String OFF = "off";

  private Calibrations() {}

  /** The calibration for the job of {@code ranks}; collective, equal on all of them. */
  public static Calibration agreed(
      Store store, JobEnvironment environment, List<RankDescriptor> ranks, Deadline deadline) {
    return share(store, environment.rank(), () -> chosen(environment, ranks), deadline);
  }

  /** Hands {@code make}'s result on rank 0 to all ranks; collective. */
  static Calibration share(Store store, int rank, Supplier<Calibration> make, Deadline deadline) {
    byte[] json =
        UniqueIds.share(
            store,
            "calibration",
            rank,
            0,
            () -> CalibrationJson.write(make.get()).getBytes(UTF_8),
            deadline);
    return CalibrationJson.read(new String(json, UTF_8), "the calibration from rank 0");
  }

  private static Calibration chosen(JobEnvironment environment, List<RankDescriptor> ranks) {
    String setting = environment.settings().getOrDefault("calibration", AUTO);
    return switch (setting) {
      case OFF -> Calibration.none();
      case AUTO ->
          CalibrationFiles.of(System.getenv())
              .find(subject(ranks).key())
              .orElseGet(Calibration::none);
      default -> CalibrationFiles.read(Path.of(setting));
    };
  }

  /** What a calibration of {@code ranks} is about; called on rank 0. */
  static CalibrationSubject subject(List<RankDescriptor> ranks) {
    return CalibrationSubject.of(Detection.hostName(LiveFiles.ofThisHost()), ranks);
  }
}
