// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.job.JobPlace;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.measure.CalibrationFiles;
import io.tombolo.topology.ClusterSplit;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.machine.CostModel;
import io.tombolo.topology.render.CalibrationText;
import io.tombolo.topology.render.DevicesText;
import io.tombolo.topology.render.Format;
import io.tombolo.topology.render.Paint;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo topo}. */
@CommandLine.Command(
    name = "topo",
    description = {
      "Show who is where, who belongs together, and which way data goes.",
      "",
      "Without --input or --simulate it shows this host. In matrices, '*' marks relays: the ranks"
          + " that speak for their cluster, each through the NIC that is nearest to it."
    },
    subcommands = TopoDiffCommand.class,
    footer = {
      "%nExit code: 0 when shown, 1 if a job failed or could not be reached, 2 for wrong usage or a"
          + " malformed file.",
      "%nExamples:",
      "  tombolo topo",
      "  tombolo topo --emulated",
      "  tombolo topo --simulate '2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)'",
      "  tombolo topo --simulate '2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)' --format svg > job.svg",
      "  tombolo topo --input nccl-topo.xml --split nvidia=2",
      "  tombolo topo --measure --clusters emu-nvidia:2,emu-amd:2",
      "  TOMBOLO_TOKEN=… tombolo topo --job 127.0.0.1:29500",
      "  tombolo topo diff yesterday.json today.json"
    })
public final class TopoCommand implements Command {
  @Spec private CommandSpec spec;
  @Mixin private TopologySource source;
  @Mixin private MeasureOptions measuring;

  @Option(
      names = "--format",
      defaultValue = "text",
      paramLabel = "FORM",
      description = "One of text, json, xml, dot, svg, mermaid, html (default: text).")
  private Format format;

  @Option(
      names = "--split",
      defaultValue = "",
      paramLabel = "VENDOR=N,…",
      description = "Part a vendor's ranks into N clusters.")
  private String split;

  @Option(
      names = "--job",
      paramLabel = "HOST:PORT",
      description = {
        "Show the running job whose store is there. TOMBOLO_TOKEN must be the job's; see --port of"
            + " the command that started it."
      })
  private Optional<String> job = Optional.empty();

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    Paint paint = AnsiPaint.of(line.getColorScheme().ansi());
    line.getOut().print(text(paint));
    line.getOut().flush();
    return ExitCode.OK;
  }

  private String text(Paint paint) {
    if (job.isEmpty()) {
      return measuring.isWanted() ? measured(paint) : shown(paint);
    }
    if (source.isAnyGiven() || measuring.isWanted()) {
      throw new UsageException(
          "--job names a topology by itself: leave --input, --simulate, --emulated, --measure and"
              + " --forget out");
    }
    RunningJob running = new JobPlace(job.get(), System.getenv(), measuring.timeout()).read();
    String survey =
        format.render(
            Survey.of(running.topology(), ClusterSplit.parse(split), CostModel.nominal()), paint);
    return format == Format.TEXT ? survey + JobRoutes.text(running, paint) : survey;
  }

  private String measured(Paint paint) {
    if (source.isAnyGiven()
        || !split.isEmpty()
        || (format != Format.TEXT && format != Format.JSON)) {
      throw new UsageException(
          "--measure and --forget are about the ranks of a job, in text or json: leave --input,"
              + " --simulate, --emulated, --split and other formats out");
    }
    boolean text = format == Format.TEXT;
    return measuring.run(text ? Console.of(spec) : Console.silent(), text, paint);
  }

  private String shown(Paint paint) {
    measuring.refuseOptionsOfMeasurements();
    List<Calibration> known =
        source.isGiven() ? List.of() : CalibrationFiles.of(System.getenv()).all();
    TopologySource.Found found = source.find();
    CostModel costs = costsOf(found.topology(), known);
    String survey =
        format.render(Survey.of(found.topology(), ClusterSplit.parse(split), costs), paint);
    return format == Format.TEXT
        ? survey
            + DevicesText.list(found.devices().devices(), paint)
            + DevicesText.linkSources(found.linkSources(), paint)
            + CalibrationText.list(known, paint)
        : survey;
  }

  /** The newest figures that were measured from the host that is shown. */
  private static CostModel costsOf(Topology topology, List<Calibration> known) {
    return known.stream()
        .filter(each -> each.host().equals(topology.hosts().get(0).name()))
        .max(Comparator.comparing(Calibration::measuredAt))
        .map(Calibration::costs)
        .orElseGet(CostModel::nominal);
  }
}
