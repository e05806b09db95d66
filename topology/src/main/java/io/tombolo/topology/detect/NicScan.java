// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Port;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * RDMA devices, then the interfaces that are no RDMA device's, each with the PCI function it
 * belongs to. Interfaces without one (loopback, bridges, tunnels) are left out.
 */
final class NicScan {
  private static final String INTERFACES = "/sys/class/net";

  private final SystemFiles files;
  private final PciScan pci;
  private final Map<String, Nic> nicOfFunction = new TreeMap<>();

  NicScan(SystemFiles files, PciScan pci) {
    this.files = files;
    this.pci = pci;
  }

  /** In order of PCI addresses. */
  ImmutableList<Nic> nics() {
    RdmaScan rdma = new RdmaScan(files);
    for (String device : rdma.devices()) {
      function(RdmaScan.DEVICES + "/" + device)
          .ifPresent(function -> nicOfFunction.put(function.address(), rdma.nic(device, function)));
    }
    for (String name : files.list(INTERFACES)) {
      function(INTERFACES + "/" + name)
          .ifPresent(
              function ->
                  nicOfFunction.computeIfAbsent(
                      function.address(), address -> plain(name, function)));
    }
    nicOfFunction.keySet().removeIf(this::isPartOfAnother);
    return ImmutableList.copyOf(nicOfFunction.values());
  }

  /** A virtual function adds no bandwidth to the NIC that it is cut from, if that is here, too. */
  private boolean isPartOfAnother(String address) {
    return nicOfFunction.containsKey(pci.functions().get(address).physicalFunction());
  }

  /** The PCI functions of {@link #nics()}. */
  List<PciFunction> functions() {
    List<PciFunction> functions = new ArrayList<>();
    nicOfFunction.keySet().forEach(address -> functions.add(pci.functions().get(address)));
    functions.sort(Comparator.comparing(PciFunction::address));
    return functions;
  }

  private Optional<PciFunction> function(String device) {
    return files.resolve(device).flatMap(pci::owner);
  }

  private Nic plain(String name, PciFunction function) {
    String folder = INTERFACES + "/" + name;
    boolean up = files.read(folder + "/operstate").orElse("").equals("up");
    Port port = new Port(1, "Ethernet", up, speed(folder, up), "", ImmutableList.of());
    return new Nic(
        function.address(),
        function.parent(),
        function.numaNode(),
        function.megabytesPerSecond(),
        name,
        false,
        ImmutableList.of(port));
  }

  /** A virtual interface that is up but does not know its speed is taken for a gigabit one. */
  private int speed(String folder, boolean up) {
    String megabits = files.read(folder + "/speed").orElse("");
    return Port.megabytesPerSecond(
        megabits.matches("\\d{1,9}") ? Long.parseLong(megabits) : up ? 1000 : 0);
  }
}
