// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.io.Simulation;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Machine;
import java.util.List;

/** Finds how this rank's device reaches the network. */
final class LocalUplinks {
  private LocalUplinks() {}

  /**
   * The ways of the device at {@code pciBusId}; none if it has no place on the bus, as emulated
   * ones. With the setting {@code simulated_machine}, those of the device of the same number there.
   */
  static ImmutableList<Uplink> of(JobEnvironment environment, String pciBusId) {
    String simulated = environment.settings().getOrDefault("simulated_machine", "");
    if (!simulated.isEmpty()) {
      return simulated(environment, Simulation.parse(simulated).hosts().get(0).machine());
    }
    if (pciBusId.isEmpty()) {
      return ImmutableList.of();
    }
    Machine machine = Detection.local().machine();
    return machine.partsById().containsKey(pciBusId)
        ? Uplink.of(machine, pciBusId)
        : ImmutableList.of();
  }

  private static ImmutableList<Uplink> simulated(JobEnvironment environment, Machine machine) {
    List<Accelerator> ours =
        machine.accelerators().stream()
            .filter(each -> each.vendor().equals(environment.vendor()))
            .toList();
    int device = environment.number(JobEnvironment.DEVICE, environment.localRank());
    return device < ours.size() ? Uplink.of(machine, ours.get(device).id()) : ImmutableList.of();
  }
}
