// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.VendorLink;
import java.util.ArrayList;
import java.util.List;

/** A machine while a document about it is being read. */
final class MachineBuilder {
  private final String model;
  private final String environment;
  final List<NumaNode> numaNodes = new ArrayList<>();
  final List<Bridge> bridges = new ArrayList<>();
  final List<Accelerator> accelerators = new ArrayList<>();
  final List<Nic> nics = new ArrayList<>();
  final List<VendorLink> vendorLinks = new ArrayList<>();

  MachineBuilder(String model, String environment) {
    this.model = model;
    this.environment = environment;
  }

  Machine build() {
    return new Machine(
        model,
        environment,
        ImmutableList.copyOf(numaNodes),
        ImmutableList.copyOf(bridges),
        ImmutableList.copyOf(accelerators),
        ImmutableList.copyOf(nics),
        ImmutableList.copyOf(vendorLinks));
  }
}
