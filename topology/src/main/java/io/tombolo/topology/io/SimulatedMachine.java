// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Bridge;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.KnownLinks;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.NumaNode;
import io.tombolo.topology.machine.Port;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A host as vendors build them today: two sockets, one PCI switch per NIC, and accelerators spread
 * over the switches.
 */
final class SimulatedMachine {
  private static final int SOCKETS = 2;
  private static final int CPUS_PER_SOCKET = 64;
  private static final int FIRST_SWITCH_BUS = 0x01;
  private static final int FIRST_ACCELERATOR_BUS = 0x41;
  private static final int FIRST_NIC_BUS = 0x81;
  private static final int PCI_5_X16 = 63_015;
  private static final int MEGABITS_PER_GIGABIT = 1000;

  private final String model;
  private final List<String> vendors = new ArrayList<>();
  private final List<String> models = new ArrayList<>();
  private final List<Integer> gigabits = new ArrayList<>();

  SimulatedMachine(String model) {
    this.model = model;
  }

  void addAccelerators(int count, String vendor, String model) {
    for (int i = 0; i < count; i++) {
      vendors.add(vendor);
      models.add(model);
    }
  }

  void addNics(int count, int gigabitsPerSecond) {
    for (int i = 0; i < count; i++) {
      gigabits.add(gigabitsPerSecond);
    }
  }

  int ranks() {
    return vendors.size();
  }

  int size() {
    return vendors.size() + gigabits.size();
  }

  Machine build() {
    int switches = gigabits.isEmpty() ? SOCKETS : gigabits.size();
    ImmutableList.Builder<NumaNode> nodes = ImmutableList.builder();
    ImmutableList.Builder<Bridge> bridges = ImmutableList.builder();
    for (int socket = 0; socket < SOCKETS; socket++) {
      int first = socket * CPUS_PER_SOCKET;
      CpuSet cpus = CpuSet.ofList(first + "-" + (first + CPUS_PER_SOCKET - 1));
      nodes.add(new NumaNode(socket, socket, cpus, 0));
    }
    for (int index = 0; index < switches; index++) {
      int socket = socketOf(index, switches);
      String root = "pci" + switchId(index);
      bridges.add(new Bridge(root, "", socket, 0));
      bridges.add(new Bridge(switchId(index), root, socket, PCI_5_X16));
    }
    ImmutableList<Accelerator> accelerators = accelerators(switches);
    return new Machine(
        model,
        "simulated",
        nodes.build(),
        bridges.build(),
        accelerators,
        nics(),
        ImmutableList.copyOf(KnownLinks.simulate(accelerators)));
  }

  private ImmutableList<Accelerator> accelerators(int switches) {
    ImmutableList.Builder<Accelerator> accelerators = ImmutableList.builder();
    for (int i = 0; i < vendors.size(); i++) {
      int at = i * switches / vendors.size();
      accelerators.add(
          new Accelerator(
              address(FIRST_ACCELERATOR_BUS + i),
              switchId(at),
              socketOf(at, switches),
              PCI_5_X16,
              vendors.get(i),
              models.get(i)));
    }
    return accelerators.build();
  }

  private ImmutableList<Nic> nics() {
    ImmutableList.Builder<Nic> nics = ImmutableList.builder();
    for (int i = 0; i < gigabits.size(); i++) {
      long megabits = (long) gigabits.get(i) * MEGABITS_PER_GIGABIT;
      Port port =
          new Port(1, "Ethernet", true, Port.megabytesPerSecond(megabits), "", ImmutableList.of());
      nics.add(
          new Nic(
              address(FIRST_NIC_BUS + i),
              switchId(i),
              socketOf(i, gigabits.size()),
              Math.max(PCI_5_X16, port.megabytesPerSecond()),
              "nic" + i,
              true,
              ImmutableList.of(port)));
    }
    return nics.build();
  }

  private static int socketOf(int index, int count) {
    return index * SOCKETS / Math.max(SOCKETS, count);
  }

  private static String switchId(int index) {
    return address(FIRST_SWITCH_BUS + index);
  }

  private static String address(int bus) {
    return String.format(Locale.ROOT, "0000:%02x:00.0", bus);
  }
}
