// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import com.google.common.net.HostAndPort;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import io.tombolo.base.Command;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.job.JobPlace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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
      "  tombolo ras 127.0.0.1:29500 --monitor       # until the job ends",
      "  openssl rand -hex 32 | (umask 077; cat > scrape); tombolo ras 127.0.0.1:29500 --metrics 9400 --metrics-token scrape"
    })
public final class RasCommand implements Command {
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
      names = "--metrics",
      paramLabel = "[HOST:]PORT",
      description = {
        "As --monitor, and serve what is seen by HTTP in Prometheus's text format; at 127.0.0.1"
            + " unless a host is named. Needs --metrics-token."
      })
  private String metrics;

  @Option(
      names = "--metrics-token",
      paramLabel = "FILE",
      description =
          "A file with the secret that a request must show as its bearer token, 32 characters or"
              + " more. Not the job's, as HTTP sends it in clear.")
  private Path tokenFile;

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
    Optional<MetricsToken> secret = metricsToken();
    Duration timeout = Duration.ofMillis(Math.round(1000 * timeoutSeconds));
    JobWatch watch = new JobWatch(new JobPlace(place, environment, timeout));
    return secret
        .map(token -> serve(watch, token))
        .orElseGet(() -> monitor ? watch(watch, health -> {}) : look(watch));
  }

  /** Nothing listens without it. */
  private Optional<MetricsToken> metricsToken() {
    if ((metrics == null) != (tokenFile == null)) {
      throw new UsageException("--metrics and --metrics-token go together: say both, or neither");
    }
    return Optional.ofNullable(tokenFile).map(MetricsToken::read);
  }

  private int look(JobWatch watch) {
    Console console = json ? Console.silent() : Console.of(spec);
    console.progress("looking for " + watch.pause().toMillis() + " ms …");
    JobHealth health = watch.next();
    if (json) {
      print(gson().setPrettyPrinting().create(), health);
    } else {
      new HealthText(console).print(health);
    }
    return health.isWell() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /**
   * Until the store is gone, which is the end of the job; each look's result goes to {@code to}.
   */
  private int watch(JobWatch watch, Consumer<JobHealth> to) {
    Console console = json ? Console.silent() : Console.of(spec);
    HealthText text = new HealthText(console);
    Optional<JobHealth> last = Optional.empty();
    while (true) {
      JobHealth health;
      try {
        health = watch.next();
      } catch (TomboloException e) {
        console.line("the job is there no more: " + e.getMessage());
        return last.map(JobHealth::isWell).orElse(true) ? ExitCode.OK : ExitCode.SOFTWARE;
      }
      to.accept(health);
      if (json) {
        print(gson().create(), health);
      } else {
        text.printChange(last, health);
      }
      last = Optional.of(health);
    }
  }

  /** However often somebody asks, the job is looked at as often as without. */
  private int serve(JobWatch watch, MetricsToken token) {
    AtomicReference<String> text = new AtomicReference<>(metricsOf(watch.next()));
    try (MetricsServer server = MetricsServer.start(metricsAddress(), token, text::get)) {
      Console console = json ? Console.silent() : Console.of(spec);
      console.line(
          "metrics are at http://%s/metrics"
              .formatted(
                  HostAndPort.fromParts(
                      server.address().getHostString(), server.address().getPort())));
      return watch(watch, health -> text.set(metricsOf(health)));
    }
  }

  private static String metricsOf(JobHealth health) {
    return MetricsText.of(health, System.currentTimeMillis());
  }

  private InetSocketAddress metricsAddress() {
    try {
      HostAndPort at =
          HostAndPort.fromString(metrics.contains(":") ? metrics : "127.0.0.1:" + metrics);
      return new InetSocketAddress(at.getHost(), at.getPort());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new UsageException("'" + metrics + "' is no PORT and no HOST:PORT", e);
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
