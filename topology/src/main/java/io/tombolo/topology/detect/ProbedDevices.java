// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Host;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * What device runtimes say of this host's devices, to be brought together with what the kernel
 * says. The kernel knows places and links, a runtime knows names and memory. Immutable.
 *
 * @param devices by vendor, then by ordinal
 */
public record ProbedDevices(ImmutableList<ProbedDevice> devices) {

  /** Asks every {@link DeviceProbe}; emulated runtimes only if wanted. */
  public static ProbedDevices ofThisHost(boolean withEmulated) {
    return new ProbedDevices(
        ServiceLoader.load(DeviceProbe.class).stream()
            .flatMap(probe -> probe.get().devices(withEmulated).stream())
            .collect(ImmutableList.toImmutableList()));
  }

  /**
   * {@code host} with these devices too. A device that both know by its PCI address stays one, in
   * its place, under the runtime's name for it; others follow, without a place.
   */
  public Host mergedInto(Host host) {
    Machine machine = host.machine();
    Map<String, Accelerator> accelerators = new LinkedHashMap<>();
    machine.accelerators().forEach(each -> accelerators.put(each.id(), each));
    for (ProbedDevice device : devices) {
      accelerators.merge(device.id(), placeless(device), (seen, probed) -> named(seen, device));
    }
    return new Host(
        host.id(),
        host.name(),
        new Machine(
            machine.model(),
            machine.environment(),
            machine.numaNodes(),
            machine.bridges(),
            ImmutableList.copyOf(accelerators.values()),
            machine.nics(),
            machine.vendorLinks()));
  }

  /** The accelerators of which the kernel knows and no runtime does. */
  public ImmutableList<Accelerator> missingFrom(Collection<Accelerator> seenByKernel) {
    return seenByKernel.stream()
        .filter(each -> devices.stream().noneMatch(device -> device.id().equals(each.id())))
        .collect(ImmutableList.toImmutableList());
  }

  private static Accelerator placeless(ProbedDevice device) {
    return new Accelerator(
        device.id(), "", -1, 0, device.vendor(), device.name(), device.architecture());
  }

  private static Accelerator named(Accelerator seen, ProbedDevice device) {
    return new Accelerator(
        seen.id(),
        seen.parent(),
        seen.numaNode(),
        seen.megabytesPerSecond(),
        seen.vendor(),
        device.name(),
        device.architecture());
  }
}
