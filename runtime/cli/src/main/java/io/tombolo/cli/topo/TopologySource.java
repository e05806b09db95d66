// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Topology;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.HostPrograms;
import io.tombolo.topology.detect.LinkSource;
import io.tombolo.topology.detect.ProbedDevices;
import io.tombolo.topology.io.Simulation;
import io.tombolo.topology.io.TopologyFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that say which topology is meant; this host if none is given. */
final class TopologySource {
  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = {
        "Read the topology from a file: our JSON, the XML of NCCL, FlagCX or hwloc, or a recorded"
            + " system."
      })
  private Optional<Path> input = Optional.empty();

  @Option(
      names = "--simulate",
      paramLabel = "SPEC",
      description =
          "A job on paper: [HOSTSx](ITEM,…);… with items [COUNTx]VENDOR or [COUNTx]SPEEDG.")
  private Optional<String> simulate = Optional.empty();

  @Option(
      names = "--emulated",
      description = "Count this host's emulated devices too; they have no place in it.")
  private boolean emulated;

  /**
   * What is meant.
   *
   * @param topology the topology
   * @param devices what the runtimes on this host say of its devices; nothing about another
   *     topology
   * @param linkSources where the links between this host's accelerators are known from; nothing
   *     about another topology
   */
  record Found(Topology topology, ProbedDevices devices, List<LinkSource> linkSources) {}

  /** Whether it is another topology than that of this host. */
  boolean isGiven() {
    return input.isPresent() || simulate.isPresent();
  }

  /** Whether any of these options is there. */
  boolean isAnyGiven() {
    return isGiven() || emulated;
  }

  /** Reads, simulates, or looks at this host; the latter takes a moment. */
  Found find() {
    if (input.isPresent() && simulate.isPresent()) {
      throw new UsageException("--input and --simulate both name a topology; give one of them");
    }
    if (emulated && isGiven()) {
      throw new UsageException(
          "--emulated is about the devices of this host: leave --input and --simulate out");
    }
    return input
        .map(TopologyFile::read)
        .or(() -> simulate.map(Simulation::parse))
        .map(topology -> new Found(topology, new ProbedDevices(ImmutableList.of()), List.of()))
        .orElseGet(this::look);
  }

  private Found look() {
    ProbedDevices devices = ProbedDevices.ofThisHost(emulated);
    Detection.Found found = Detection.look(new HostPrograms());
    Topology topology = Topology.of(List.of(devices.mergedInto(found.host())));
    return new Found(topology, devices, found.linkSources());
  }

  /** The topology that {@code text} names: a file, or a specification if it has parentheses. */
  static Topology of(String text) {
    return text.contains("(") ? Simulation.parse(text) : TopologyFile.read(Path.of(text));
  }
}
