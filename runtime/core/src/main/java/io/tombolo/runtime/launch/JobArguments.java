// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * The options of every command that starts a job, as a picocli mixin or argument group. Who has no
 * picocli writes {@link JobOptions} down directly.
 */
public final class JobArguments {
  private static final double MILLIS = 1000;

  @Option(
      names = "--clusters",
      paramLabel = "VENDOR:N,…",
      description =
          "Vendors and how many ranks each has (default: those of --order, or "
              + JobOptions.USUAL_CLUSTERS
              + ").")
  private String clusters;

  @Option(
      names = "--order",
      paramLabel = "VENDOR,…",
      description = "The vendor of each rank, from rank 0 (default: cluster after cluster).")
  private String order;

  @Option(
      names = "--fabric",
      paramLabel = "FABRIC",
      defaultValue = JobOptions.AUTO,
      description =
          "What carries bytes between clusters: ${COMPLETION-CANDIDATES} (default:"
              + " ${DEFAULT-VALUE}).",
      completionCandidates = FabricChoices.class)
  private String fabric;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "How long any wait may take (default: $TOMBOLO_TIMEOUT_MS, or 5 minutes).")
  private Double timeoutSeconds;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of the job's store on this host (default: any free one).")
  private int port;

  @Option(
      names = "--hosts",
      paramLabel = "HOST:N,…",
      description =
          "Hosts and how many ranks each has, from rank 0 (default: all on this one). Each has"
              + " Tombolo and Java in the same folders as this one.")
  private String hosts;

  @Option(
      names = "--launch-by",
      paramLabel = "COMMAND",
      description =
          "With --hosts: what runs a command on {host}, with its standard input and output"
              + " (default: "
              + Placement.USUAL_LAUNCH
              + ").")
  private String launchBy;

  @Option(
      names = "--store-address",
      paramLabel = "ADDRESS",
      description =
          "With --hosts: the address of this host at which all ranks reach the job's store"
              + " (default: the one it sends from to them).")
  private String storeAddress;

  /** For picocli, which fills it in. */
  public JobArguments() {}

  /** What was said, here or in this process's environment. */
  public JobOptions options() {
    return options(System.getenv());
  }

  JobOptions options(Map<String, String> environment) {
    double seconds =
        timeoutSeconds != null
            ? timeoutSeconds
            : JobEnvironment.timeoutOf(environment).toMillis() / MILLIS;
    return new JobOptions(clusters, order, fabric, seconds, port, placement());
  }

  private Optional<Placement> placement() {
    if (hosts == null) {
      if (launchBy != null || storeAddress != null) {
        throw new UsageException(
            (launchBy != null ? "--launch-by" : "--store-address")
                + " is about ranks on other hosts: say which, by --hosts");
      }
      return Optional.empty();
    }
    return Optional.of(Placement.parse(hosts, launchBy, Optional.ofNullable(storeAddress)));
  }
}
