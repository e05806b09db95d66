// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Table;
import io.tombolo.cli.console.Wrapped;
import io.tombolo.cli.trace.ProcessSummary.Part;
import io.tombolo.cli.trace.TraceSummary.RankSummary;
import io.tombolo.runtime.recorder.FlightEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo stat}. */
@CommandLine.Command(
    name = "stat",
    description = {
      "Say what the communicators of a running process do now: their last operations, and what is under"
          + " way for how long.",
      "",
      "Reads what the process records, so it must have been started with TOMBOLO_RECORDER=DIR; it does"
          + " not notice, and may hang or be stopped."
    },
    footer = {
      "%nExit code: 0 when shown, 1 if there is no such process or it records nothing, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo stat 4711",
      "  tombolo stat 4711 --json"
    })
public final class ProcessStatCommand implements Command {
  private static final String VARIABLE = "TOMBOLO_RECORDER=";

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "PID", description = "The process.")
  private long pid;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  @Override
  public Integer call() {
    Path folder = folder();
    Instant now = Instant.now();
    long nowNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    List<Part> parts =
        Recordings.in(folder).run().stream()
            .filter(each -> each.header().process().pid() == pid)
            .filter(each -> ProcessLook.at(each.header().process()) != ProcessLook.GONE)
            .sorted(
                Comparator.comparing(
                        (Recording each) -> each.log().end().kind() != FlightEnd.Kind.NONE)
                    .thenComparing(each -> -each.header().epochNs()))
            .map(each -> part(each, nowNs))
            .toList();
    if (parts.isEmpty()) {
      throw new UnavailableException(
          "process %s has recorded nothing in %s yet: it has not joined a job, or another process of its rank came later"
              .formatted(pid, folder));
    }
    print(new ProcessSummary(pid, folder.toString(), parts));
    return ExitCode.OK;
  }

  private static Part part(Recording recording, long nowNs) {
    ProcessLook look = ProcessLook.at(recording.header().process());
    return new Part(
        recording.label(),
        recording.header().size(),
        RankTrace.of(recording, look, nowNs).summary());
  }

  /** Where the process records, by its environment; from its own folder, if that is relative. */
  private Path folder() {
    if (pid <= 0) {
      throw new UsageException("stat wants the number of a process, not " + pid);
    }
    Path process = Path.of("/proc", Long.toString(pid));
    String environment;
    try {
      environment = new String(Files.readAllBytes(process.resolve("environ")), UTF_8);
    } catch (IOException e) {
      throw new UnavailableException(
          Files.exists(process)
              ? "cannot look into process %s: %s; is it yours?".formatted(pid, e.getMessage())
              : "there is no process %s on this host; what ranks have recorded that ended is shown by tombolo trace DIR"
                  .formatted(pid),
          e);
    }
    String folder =
        Splitter.on('\0')
            .splitToStream(environment)
            .filter(each -> each.startsWith(VARIABLE) && each.length() > VARIABLE.length())
            .map(each -> each.substring(VARIABLE.length()))
            .findFirst()
            .orElseThrow(
                () ->
                    new UnavailableException(
                        "process %s records nothing; start the job with TOMBOLO_RECORDER=DIR, or ask its store: tombolo ras HOST:PORT"
                            .formatted(pid)));
    return process.resolve("cwd").resolve(folder);
  }

  private void print(ProcessSummary summary) {
    if (json) {
      spec.commandLine()
          .getOut()
          .println(
              new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(summary));
      return;
    }
    Console console = Console.of(spec);
    Table table = new Table("communicator", "rank", "state", "entered", "ended well", "under way");
    summary.communicators().forEach(each -> add(table, each));
    table.print(console);
    summary.communicators().stream()
        .filter(each -> !each.self().cause().isEmpty())
        .forEach(
            each ->
                Wrapped.lines("  -", 4, each.group() + " failed: " + each.self().cause())
                    .forEach(console::line));
  }

  private static void add(Table table, Part part) {
    RankSummary self = part.self();
    table.row(
        part.group(),
        self.rank() + " of " + part.size(),
        self.state(),
        "#" + self.entered(),
        "#" + self.done(),
        self.underWay().stream()
            .map(TraceSummary.UnderWay::text)
            .collect(Collectors.joining(", ")));
  }
}
