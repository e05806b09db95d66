package io.tombolo.topology.detect;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.HostId;
import io.tombolo.topology.Host;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.PciIds;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads a host from the files with which its kernel describes it. */
public final class Detection {
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
    return new Detection(files).host();
  }

  /** What people call the host that {@code files} describe. */
  public static String hostName(SystemFiles files) {
    return files.read("/proc/sys/kernel/hostname").orElse("host");
  }

  private Host host() {
    String name = hostName(files);
    return new Host(hostId(name), name, machine());
  }

  /** As ranks compute it, see {@link HostId}; by name where the kernel does not tell. */
  private String hostId(String name) {
    String boot = files.read("/proc/sys/kernel/random/boot_id").orElse(name);
    return HostId.of(boot, files.readLink("/proc/self/ns/net").orElse(""));
  }

  private Machine machine() {
    PciScan pci = new PciScan(files);
    EnvironmentScan environment = new EnvironmentScan(files);
    ImmutableList<NumaNode> numaNodes = new NumaScan(files).nodes();
    NicScan nicScan = new NicScan(files, pci);
    ImmutableList<Nic> nics = nicScan.nics();
    List<PciFunction> leaves = new ArrayList<>(nicScan.functions());
    ImmutableList.Builder<Accelerator> accelerators = ImmutableList.builder();
    for (PciFunction function : pci.functions().values()) {
      PciIds.acceleratorVendor(function.vendorId(), function.classId())
          .ifPresent(
              vendor -> {
                leaves.add(function);
                accelerators.add(accelerator(function, vendor));
              });
    }
    return new Machine(
        Ascii.truncate(environment.model(), 80, "…"),
        environment.environment(),
        numaNodes,
        pci.bridgesAbove(leaves),
        accelerators.build(),
        nics,
        vendorLinks(accelerators.build(), pci));
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

  /** What the kernel tells; for pairs it is silent about, what follows from the boards. */
  private ImmutableList<VendorLink> vendorLinks(List<Accelerator> accelerators, PciScan pci) {
    Set<String> ids = accelerators.stream().map(Accelerator::id).collect(Collectors.toSet());
    List<VendorLink> links = new ArrayList<>(new XgmiScan(files).links(ids));
    List<String> switchIds =
        pci.functions().values().stream()
            .filter(function -> PciIds.isOtherBridge(function.classId()))
            .map(PciFunction::model)
            .toList();
    for (VendorLink deduced : KnownLinks.deduce(accelerators, switchIds)) {
      if (links.stream().noneMatch(link -> link.joins(deduced.a(), deduced.b()))) {
        links.add(deduced);
      }
    }
    return ImmutableList.copyOf(links);
  }
}
