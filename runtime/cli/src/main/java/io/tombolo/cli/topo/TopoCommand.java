package io.tombolo.cli.topo;

import io.tombolo.base.Command;
import io.tombolo.topology.ClusterSplit;
import io.tombolo.topology.Survey;
import io.tombolo.topology.machine.CostModel;
import io.tombolo.topology.render.Format;
import io.tombolo.topology.render.Paint;
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
      "%nExamples:",
      "  tombolo topo",
      "  tombolo topo --simulate '2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)'",
      "  tombolo topo --simulate '2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)' --format svg > job.svg",
      "  tombolo topo --input nccl-topo.xml --split nvidia=2",
      "  tombolo topo diff yesterday.json today.json"
    })
public final class TopoCommand implements Command {
  @Spec private CommandSpec spec;
  @Mixin private TopologySource source;

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

  @Override
  public Integer call() {
    Survey survey = Survey.of(source.topology(), ClusterSplit.parse(split), CostModel.nominal());
    CommandLine line = spec.commandLine();
    Paint paint = AnsiPaint.of(line.getColorScheme().ansi());
    line.getOut().print(format.render(survey, paint));
    line.getOut().flush();
    return ExitCode.OK;
  }
}
