// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.common.net.HostAndPort;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.console.Figures;
import io.tombolo.rdma.verbs.VerbsReads;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo store serve}. */
@CommandLine.Command(
    name = "serve",
    description = {
      "Hold tensors for processes that know the token in TOMBOLO_TOKEN, until this process is"
          + " ended. They are in memory only, and gone with it."
    },
    footer = {
      "%nExit code: 0 when it was interrupted, 1 if it could not start, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo store serve --listen 127.0.0.1:7777 --memory 4G",
      "  tombolo store serve --listen 10.0.0.1:7777 --memory 64G --keep 3"
    })
public final class ServeCommand implements Command {
  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:0",
      description = "The address; port 0 takes any free one (default: ${DEFAULT-VALUE}).")
  private String listen;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      defaultValue = "1G",
      description = "Of all tensors together, at most (default: ${DEFAULT-VALUE}).")
  private String memory;

  @Option(
      names = "--keep",
      paramLabel = "N",
      defaultValue = "2",
      description = "Versions of each state dict that are kept (default: ${DEFAULT-VALUE}).")
  private int keep;

  /** The command as the launcher makes it. */
  public ServeCommand() {
    this(System.getenv());
  }

  ServeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    VolumeOptions options = VolumeOptions.of(ByteSizes.parse(memory)).withKeptVersions(keep);
    InetSocketAddress wanted = VolumePlace.address(listen);
    try (VerbsReads reads = VerbsReads.from(JobEnvironment.plainSettingsOf(environment));
        Volume volume =
            Volume.serve(wanted, VolumePlace.token(environment), options.withReads(reads))) {
      InetSocketAddress address = volume.address();
      Console.of(spec)
          .line(
              "volume at %s: %s, keeps %s versions; end it with Ctrl-C"
                  .formatted(
                      HostAndPort.fromParts(
                          address.getAddress().getHostAddress(), address.getPort()),
                      Figures.bytes(options.memoryBytes()),
                      keep));
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }
}
