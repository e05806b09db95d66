// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.trace.TraceSummary.GroupSummary;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo trace}. */
@CommandLine.Command(
    name = "trace",
    description = {
      "Say what the ranks of a job did last: who never entered which operation, who entered another"
          + " one than the others, who came last, what was under way.",
      "",
      "The ranks record it if the job is run with TOMBOLO_RECORDER=DIR. It is there after kill -9,"
          + " too, and while they run."
    },
    footer = {
      "%nExit code: 0 when shown, 1 if nothing was recorded there, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo trace flights",
      "  tombolo trace flights --group all",
      "  tombolo trace flights --json",
      "  tombolo trace flights --chrome job.json"
    })
public final class TraceCommand implements Command {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DIR", description = "The folder of the recordings.")
  private Path folder;

  @Option(
      names = "--group",
      paramLabel = "G",
      description =
          "Only this communicator, by the name that is shown; 'all' is that of all ranks.")
  private Optional<String> only = Optional.empty();

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  @Option(
      names = "--chrome",
      paramLabel = "FILE",
      description = "Write all operations to FILE too, for ui.perfetto.dev or chrome://tracing.")
  private Optional<Path> chrome = Optional.empty();

  @Override
  public Integer call() {
    Recordings recordings = Recordings.in(folder);
    List<GroupTrace> traces = chosen(groups(recordings.run()));
    chrome.ifPresent(file -> ChromeTrace.write(file, traces));
    List<GroupSummary> groups = traces.stream().map(GroupTrace::summary).toList();
    TraceSummary summary = new TraceSummary(folder.toString(), groups, recordings.leftOut());
    if (json) {
      spec.commandLine()
          .getOut()
          .println(
              new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(summary));
    } else {
      new TraceText(Console.of(spec)).print(summary);
    }
    return ExitCode.OK;
  }

  private static List<GroupTrace> groups(List<Recording> run) {
    Instant now = Instant.now();
    long nowNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    return GroupTrace.all(
        run.stream()
            .map(each -> RankTrace.of(each, ProcessLook.at(each.header().process()), nowNs))
            .toList());
  }

  private List<GroupTrace> chosen(List<GroupTrace> groups) {
    if (only.isEmpty()) {
      return groups;
    }
    List<GroupTrace> chosen =
        groups.stream().filter(each -> each.label().equals(only.get())).toList();
    if (chosen.isEmpty()) {
      throw new UsageException(
          "no communicator is called '%s' there; there are %s"
              .formatted(
                  only.get(), String.join(", ", groups.stream().map(GroupTrace::label).toList())));
    }
    return chosen;
  }
}
