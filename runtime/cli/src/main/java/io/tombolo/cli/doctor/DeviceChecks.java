// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multimaps;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.OrderKeeper;
import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.ReductionOutlook;
import io.tombolo.topology.detect.LinkSource;
import io.tombolo.topology.detect.ProbedDevice;
import io.tombolo.topology.detect.ProbedDevices;
import io.tombolo.topology.machine.Accelerator;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/** Accelerators: what runtimes say of them, and which ones only the kernel knows. */
final class DeviceChecks {
  private DeviceChecks() {}

  /**
   * Findings on {@code probed} devices.
   *
   * @param outlook where ranks on devices of a vendor would combine elements
   * @param order how streams of a vendor's devices wait for operations
   * @param queues which hardware queues a vendor's row asks for, if it does
   * @param environment what the user has set
   */
  static ImmutableList<Finding> findings(
      ProbedDevices probed,
      Collection<Accelerator> seenByKernel,
      Function<String, ReductionOutlook> outlook,
      Function<String, OrderKeeper> order,
      Function<String, Optional<HardwareQueues>> queues,
      Function<String, Optional<String>> environment) {
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    probed.devices().stream()
        .filter(device -> !device.emulated())
        .map(DeviceChecks::described)
        .forEach(findings::add);
    Multimaps.index(probed.devices(), ProbedDevice::vendor)
        .asMap()
        .forEach(
            (vendor, all) -> {
              findings.add(together(vendor, all, outlook.apply(vendor), order.apply(vendor)));
              queues
                  .apply(vendor)
                  .map(wanted -> shared(vendor, wanted, environment))
                  .ifPresent(findings::add);
            });
    probed.missingFrom(seenByKernel).stream().map(DeviceChecks::unlisted).forEach(findings::add);
    return findings.build();
  }

  static Finding links(LinkSource source) {
    return source.isKnown()
        ? Finding.good("device", source.kind(), "from " + source.from())
        : Finding.poor("device", source.kind(), "not known", source.fix());
  }

  /** What all devices of a vendor have in common. */
  private static Finding together(
      String vendor, Collection<ProbedDevice> all, ReductionOutlook outlook, OrderKeeper order) {
    boolean emulated = all.iterator().next().emulated();
    String text =
        "%s: %d; reductions: %s; streams: %s"
            .formatted(
                emulated ? "emulated devices" : "devices",
                all.size(),
                outlook.text(),
                order.text());
    return outlook.fix().isEmpty()
        ? Finding.good("device", vendor + ":*", text)
        : Finding.poor("device", vendor + ":*", text, outlook.fix());
  }

  /** Queues that a vendor's streams share, as far as the environment tells. */
  private static Finding shared(
      String vendor, HardwareQueues wanted, Function<String, Optional<String>> environment) {
    String name = vendor + ":queues";
    String text = wanted.text(environment);
    String fix = wanted.fix(environment);
    return fix.isEmpty()
        ? Finding.good("device", name, text)
        : Finding.poor("device", name, text, fix);
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
