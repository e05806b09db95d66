package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import io.tombolo.cli.console.Figures;
import io.tombolo.topology.detect.LinkSource;
import io.tombolo.topology.detect.ProbedDevice;
import io.tombolo.topology.detect.ProbedDevices;
import io.tombolo.topology.machine.Accelerator;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Accelerators: what runtimes say of them, and which ones only the kernel knows. */
final class DeviceChecks {
  private DeviceChecks() {}

  static ImmutableList<Finding> findings(
      ProbedDevices probed, Collection<Accelerator> seenByKernel) {
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    probed.devices().stream()
        .filter(device -> !device.emulated())
        .map(DeviceChecks::described)
        .forEach(findings::add);
    emulated(probed)
        .forEach(
            (vendor, count) ->
                findings.add(Finding.good("device", vendor + ":*", "emulated devices: " + count)));
    probed.missingFrom(seenByKernel).stream().map(DeviceChecks::unlisted).forEach(findings::add);
    return findings.build();
  }

  static Finding links(LinkSource source) {
    return source.isKnown()
        ? Finding.good("device", source.kind(), "from " + source.from())
        : Finding.poor("device", source.kind(), "not known", source.fix());
  }

  private static Map<String, Long> emulated(ProbedDevices probed) {
    return probed.devices().stream()
        .filter(ProbedDevice::emulated)
        .collect(Collectors.groupingBy(ProbedDevice::vendor, TreeMap::new, Collectors.counting()));
  }

  private static Finding described(ProbedDevice device) {
    return Finding.good(
        "device",
        device.label(),
        String.join(
            ", ",
            device.name(),
            Figures.bytes(device.memoryBytes()),
            device.pciAddress().isEmpty() ? "no PCI address" : device.pciAddress(),
            device.runtime()));
  }

  private static Finding unlisted(Accelerator accelerator) {
    return Finding.poor(
        "device",
        accelerator.id(),
        "the kernel knows this device of " + accelerator.vendor() + ", no runtime lists it",
        "see the vendor's line; a visible-devices variable may hide it");
  }
}
