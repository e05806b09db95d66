// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import io.tombolo.base.Command;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.job.JobPlace;
import io.tombolo.runtime.bootstrap.Pulse;
import io.tombolo.runtime.bootstrap.RunningJob;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo ras}. */
@CommandLine.Command(
    name = "ras",
    description = {
      "Say how the ranks of a running job are: who is dead, stopped or silent, who holds up the others.",
      "",
      "Looks twice at what the ranks put into the job's store to show that they live, which is every"
          + " 2 s as a rule. The job does not notice. TOMBOLO_TOKEN must be the job's."
    },
    footer = {
      "%nExit code: 0 if all ranks are well, 1 if one is not, the job has failed or nobody answers, 2 for"
          + " wrong usage.",
      "%nExamples:",
      "  export TOMBOLO_TOKEN=…                      # before the job starts, too",
      "  tombolo ras 127.0.0.1:29500",
      "  tombolo ras 127.0.0.1:29500 --json",
      "  tombolo ras 127.0.0.1:29500 --monitor       # until the job ends"
    })
public final class RasCommand implements Command {
  /** Between two looks at ranks that say nothing by themselves. */
  private static final long USUAL_PERIOD_MS = 800;

  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "HOST:PORT", description = "Where the job's store is.")
  private String place;

  @Option(names = "--json", description = "Print one JSON object; docs/output.md has its members.")
  private boolean json;

  @Option(
      names = "--monitor",
      description = {
        "Look again and again, and say what has changed, until the job ends; with --json an object"
            + " for each look, on a line of its own."
      })
  private boolean monitor;

  @Option(
      names = "--timeout",
      paramLabel = "S",
      defaultValue = "10",
      description = "How long the store may take to answer (default: ${DEFAULT-VALUE}).")
  private double timeoutSeconds;

  /** The command as the launcher makes it. */
  public RasCommand() {
    this(System.getenv());
  }

  RasCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    Duration timeout = Duration.ofMillis(Math.round(1000 * timeoutSeconds));
    JobPlace job = new JobPlace(place, environment, timeout);
    RunningJob seen = job.read();
    return monitor ? watch(job, seen) : look(job, seen);
  }

  private int look(JobPlace job, RunningJob before) {
    Console console = json ? Console.silent() : Console.of(spec);
    long startNs = System.nanoTime();
    console.progress("looking for " + pause(before).toMillis() + " ms …");
    sleep(pause(before));
    JobHealth health =
        JobHealth.of(before, job.read(), Duration.ofNanos(System.nanoTime() - startNs));
    if (json) {
      print(gson().setPrettyPrinting().create(), health);
    } else {
      new HealthText(console).print(health);
    }
    return health.isWell() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /** Until the store is gone, which is the end of the job. */
  private int watch(JobPlace job, RunningJob first) {
    Console console = json ? Console.silent() : Console.of(spec);
    HealthText text = new HealthText(console);
    RunningJob before = first;
    Optional<JobHealth> last = Optional.empty();
    while (true) {
      long startNs = System.nanoTime();
      sleep(pause(before));
      RunningJob after;
      try {
        after = job.read();
      } catch (TomboloException e) {
        console.line("the job is there no more: " + e.getMessage());
        return last.map(JobHealth::isWell).orElse(true) ? ExitCode.OK : ExitCode.SOFTWARE;
      }
      JobHealth health = JobHealth.of(before, after, Duration.ofNanos(System.nanoTime() - startNs));
      if (json) {
        print(gson().create(), health);
      } else {
        text.printChange(last, health);
      }
      before = after;
      last = Optional.of(health);
    }
  }

  /** Longer than from one beat of a rank to its next. */
  private static Duration pause(RunningJob job) {
    long periodMs =
        job.pulses().values().stream()
            .mapToLong(Pulse::periodMs)
            .filter(period -> period > 0)
            .max()
            .orElse(USUAL_PERIOD_MS);
    return Duration.ofMillis(periodMs + periodMs / 4);
  }

  private static void sleep(Duration pause) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted between two looks at the job", e);
    }
  }

  private static GsonBuilder gson() {
    JsonSerializer<RankHealth.Condition> byWord =
        (condition, type, context) -> new JsonPrimitive(condition.toString());
    return new GsonBuilder()
        .disableHtmlEscaping()
        .registerTypeAdapter(RankHealth.Condition.class, byWord);
  }

  private void print(Gson gson, JobHealth health) {
    spec.commandLine().getOut().println(gson.toJson(health));
    spec.commandLine().getOut().flush();
  }
}
