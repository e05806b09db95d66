// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.runtime.environment.WarmUpTime;
import io.tombolo.runtime.launch.JobArguments;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobOptions;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.JoinedJob;
import io.tombolo.runtime.launch.Joining;
import io.tombolo.runtime.measure.CalibrationFiles;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.io.CalibrationJson;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.render.CalibrationText;
import io.tombolo.topology.render.Paint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a measurement, and the running of it. */
final class MeasureOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--measure",
      description = {
        "Measure latency and bandwidth between all ranks of a job, and keep the figures for later"
            + " jobs of these ranks. Starts its own ranks; started by mpirun, torchrun or srun it"
            + " is one rank of that job instead, and rank 0 prints."
      })
  private boolean measure;

  @Option(names = "--forget", description = "Forget everything that was measured.")
  private boolean forget;

  @ArgGroup(
      validate = false,
      heading = "%nOptions of the job that --measure starts; --timeout is for --job too:%n")
  private JobArguments job = new JobArguments();

  /** How long any wait for a job may take. */
  Duration timeout() {
    return job.options().timeout();
  }

  boolean isWanted() {
    return measure || forget;
  }

  /** Without --measure they would mean nothing, and who gives them means something. */
  void refuseOptionsOfMeasurements() {
    for (String name : List.of("--clusters", "--order", "--fabric", "--port", "--hosts")) {
      if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
        throw new UsageException(name + " is about a measurement: add --measure, or leave it out");
      }
    }
  }

  /**
   * Forgets or measures, showing progress on {@code console}; what is left to print, which is
   * nothing on ranks other than 0.
   */
  String run(Console console, boolean text, Paint paint) {
    if (!measure) {
      int forgotten = CalibrationFiles.of(System.getenv()).forget();
      return text
          ? "forgot " + forgotten + (forgotten == 1 ? " measurement" : " measurements") + "\n"
          : "";
    }
    MeasureView view = new MeasureView(console);
    JobOptions options = job.options();
    if (LaunchEnvironment.of(System.getenv()).launcher().isPresent()) {
      join(options, view);
    } else {
      launch(options, view);
    }
    return view.result().map(result -> report(result, view.file(), text, paint)).orElse("");
  }

  private static String report(Calibration result, String file, boolean text, Paint paint) {
    return text
        ? CalibrationText.render(result, paint)
            + "\nkept in "
            + file
            + "; later jobs of these ranks plan with it, unless TOMBOLO_CALIBRATION=off\n"
        : CalibrationJson.write(result);
  }

  private void join(JobOptions options, MeasureView view) {
    Predicate<String> isGiven = spec.commandLine().getParseResult()::hasMatchedOption;
    Joining joining = new Joining(options, Optional.empty(), isGiven);
    try (JoinedJob job = JoinedJob.join(joining.variables(System.getenv()))) {
      JoinedMeasurement.run(job.environment(), view::show);
    }
  }

  private static void launch(JobOptions options, MeasureView view) {
    JobSpec job = options.job(MeasureRank.class, ImmutableList.of());
    JobResult result = JobLauncher.run(job.withSettings(WarmUpTime.none(job.settings())), view);
    if (!result.isSuccess()) {
      throw new PeerFailedException(
          result.failure().orElse("a rank failed without a word; --verbose shows more"));
    }
  }
}
