// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.HostId;
import io.tombolo.topology.Host;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.PciIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a host from the files with which its kernel describes it. */
public final class Detection {

  /**
   * What was found.
   *
   * @param host the host
   * @param linkSources where links between accelerators are known from, for each vendor here whose
   *     accelerators may have some
   */
  public record Found(Host host, ImmutableList<LinkSource> linkSources) {}

  private final SystemFiles files;

  private Detection(SystemFiles files) {
    this.files = files;
  }

  /** The host this runs on. */
  public static Host local() {
    return of(LiveFiles.ofThisHost());
  }

  /** The host that {@code files} describe. */
  public static Host of(SystemFiles files) {
    return look(files).host();
  }

  /** The host that {@code files} describe, and where its links are known from. */
  public static Found look(SystemFiles files) {
    return new Detection(files).found();
  }

  /** What people call the host that {@code files} describe. */
  public static String hostName(SystemFiles files) {
    return files.read("/proc/sys/kernel/hostname").orElse("host");
  }

  /** As ranks compute it, see {@link HostId}; by name where the kernel does not tell. */
  private String hostId(String name) {
    String boot = files.read("/proc/sys/kernel/random/boot_id").orElse(name);
    return HostId.of(boot, files.readLink("/proc/self/ns/net").orElse(""));
  }

  private Found found() {
    String name = hostName(files);
    PciScan pci = new PciScan(files);
    NicScan nics = new NicScan(files, pci);
    ImmutableList<Nic> seen = nics.nics();
    List<PciFunction> leaves = new ArrayList<>(nics.functions());
    ImmutableList.Builder<Accelerator> accelerators = ImmutableList.builder();
    for (PciFunction function : pci.functions().values()) {
      Optional.of(function)
          .filter(each -> !pci.functions().containsKey(each.physicalFunction()))
          .flatMap(each -> PciIds.acceleratorVendor(each.vendorId(), each.classId()))
          .ifPresent(
              vendor -> {
                leaves.add(function);
                accelerators.add(accelerator(function, vendor));
              });
    }
    LinkScan links = new LinkScan(files, pci, accelerators.build());
    EnvironmentScan environment = new EnvironmentScan(files);
    Machine machine =
        new Machine(
            Ascii.truncate(environment.model(), 80, "…"),
            environment.environment(),
            new NumaScan(files).nodes(),
            pci.bridgesAbove(leaves),
            accelerators.build(),
            seen,
            links.links());
    return new Found(new Host(hostId(name), name, machine), links.sources());
  }

  private static Accelerator accelerator(PciFunction function, String vendor) {
    return new Accelerator(
        function.address(),
        function.parent(),
        function.numaNode(),
        function.megabytesPerSecond(),
        vendor,
        function.model());
  }
}
