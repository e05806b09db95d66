// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Command;
import io.tombolo.cli.console.Console;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.ReductionOutlook;
import io.tombolo.topology.Host;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.HostPrograms;
import io.tombolo.topology.detect.ProbedDevices;
import io.tombolo.topology.detect.RecordingFiles;
import io.tombolo.topology.detect.SystemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo doctor}. */
@CommandLine.Command(
    name = "doctor",
    description = {
      "Look at this host: Java, CPUs, limits, vendors, RDMA devices; say what is missing and what"
          + " helps.",
      "",
      "Exit code 1 if something that --need names is missing."
    },
    footer = {
      "%nExit code: 0 if all that --need names is there, 1 if not, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo doctor",
      "  tombolo doctor --all",
      "  tombolo doctor --need nvidia,ucx,rdma",
      "  tombolo doctor --bundle report.zip",
      "  tombolo doctor --json"
    })
public final class DoctorCommand implements Command {
  private static final String FABRIC = "fabric";

  @Spec private CommandSpec spec;

  @Option(
      names = "--need",
      defaultValue = "",
      paramLabel = "NAME,…",
      description =
          "What must be there: vendors, fabrics, or 'rdma' for an RDMA device with an active port.")
  private String need;

  @Option(
      names = "--all",
      description = "Show also each vendor that is not here: what is missing, and what helps.")
  private boolean all;

  @Option(names = "--json", description = "Print a JSON list of {topic, name, state, value, fix}.")
  private boolean json;

  @Option(
      names = "--bundle",
      paramLabel = "FILE",
      description =
          "Write a zip file for a bug report too: this report, versions, the system files that were"
              + " looked at, and the environment without secrets.")
  private Optional<Path> bundle = Optional.empty();

  @Override
  public Integer call() {
    RecordingFiles files = new RecordingFiles(new HostPrograms());
    List<Finding> findings = examine(files);
    Prerequisites needs = Prerequisites.parse(need, findings);
    Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    String report = gson.toJson(findings);
    bundle.ifPresent(file -> Bundle.write(file, report, files.text(), System.getenv()));
    if (json) {
      spec.commandLine().getOut().println(report);
    } else {
      Console console = Console.of(spec);
      Report.lines(findings, all).forEach(console::line);
      needs.missing().forEach(name -> console.line("  " + name + " is needed and not there"));
    }
    return needs.missing().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static List<Finding> examine(SystemFiles files) {
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    findings.add(
        Finding.good("java", "JVM", Runtime.version() + ", " + System.getProperty("java.vm.name")));
    Detection.Found found = Detection.look(files);
    Host host = found.host();
    findings.addAll(
        new ProcessorChecks(Runtime.getRuntime().availableProcessors(), processors(host))
            .findings(System.getenv()));
    findings.addAll(new HostChecks(files, host).findings(sharedMemoryFree()));
    Fabrics.all().stream().map(DoctorCommand::fabric).forEach(findings::add);
    Vendors.all().stream().map(DoctorCommand::vendor).forEach(findings::add);
    findings.addAll(
        DeviceChecks.findings(
            ProbedDevices.ofThisHost(true),
            host.machine().accelerators(),
            vendor -> ReductionOutlook.of(Vendors.named(vendor)),
            vendor -> Vendors.named(vendor).orderKeeper(),
            vendor -> HardwareQueues.of(Vendors.named(vendor).environment()),
            name -> Optional.ofNullable(System.getenv(name))));
    found.linkSources().stream().map(DeviceChecks::links).forEach(findings::add);
    return findings.build();
  }

  private static int processors(Host host) {
    return host.machine().numaNodes().stream().mapToInt(node -> node.cpus().size()).sum();
  }

  /** Of fabrics with neither library nor device, whom they reach. */
  private static Finding fabric(FabricProvider fabric) {
    Finding finding = Finding.of(FABRIC, fabric.name(), fabric.availability(Map.of()));
    if (!finding.value().isEmpty()) {
      return finding;
    }
    String forWhom = fabric.reluctance(Map.of()).isPresent() ? ", for those who ask for it" : "";
    return Finding.good(FABRIC, fabric.name(), fabric.peers() + forWhom);
  }

  private static Finding vendor(Vendor vendor) {
    return Finding.of("vendor", vendor.name(), vendor.availability());
  }

  private static Optional<Long> sharedMemoryFree() {
    try {
      return Optional.of(Files.getFileStore(Path.of("/dev/shm")).getUsableSpace());
    } catch (IOException e) {
      return Optional.empty(); // the finding says that it is not there
    }
  }
}
