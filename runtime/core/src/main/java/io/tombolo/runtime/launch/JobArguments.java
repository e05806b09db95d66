package io.tombolo.runtime.launch;

import picocli.CommandLine.Option;

/**
 * The options of every command that starts a job, as a picocli mixin or argument group. Who has no
 * picocli writes {@link JobOptions} down directly.
 */
public final class JobArguments {
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
      defaultValue = "10",
      description = "How long any wait may take (default: ${DEFAULT-VALUE}).")
  private double timeoutSeconds;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of the job's store on 127.0.0.1 (default: any free one).")
  private int port;

  /** For picocli, which fills it in. */
  public JobArguments() {}

  /** What was said. */
  public JobOptions options() {
    return new JobOptions(clusters, order, fabric, timeoutSeconds, port);
  }
}
