// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;

/**
 * A network interface: one PCI function with its ports.
 *
 * @param id PCI address, or its name if it has none
 * @param parent the bridge above, or empty
 * @param numaNode its NUMA node, or -1
 * @param megabytesPerSecond bandwidth of its PCI link, one direction; 0 if unknown
 * @param name the RDMA device's name if it is one ({@code mlx5_0}), else the interface's
 * @param rdma whether it is an RDMA device
 * @param ports its ports, by number
 */
public record Nic(
    String id,
    String parent,
    int numaNode,
    int megabytesPerSecond,
    String name,
    boolean rdma,
    ImmutableList<Port> ports)
    implements PciPart {

  /** What its active ports carry together, one direction, no more than its PCI link does. */
  public int networkMegabytesPerSecond() {
    long ofPorts = ports.stream().filter(Port::active).mapToLong(Port::megabytesPerSecond).sum();
    long ofLink = megabytesPerSecond == 0 ? Integer.MAX_VALUE : megabytesPerSecond;
    return (int) Math.min(ofPorts, ofLink);
  }

  /** Whether something can be sent through it now. */
  public boolean isUp() {
    return networkMegabytesPerSecond() > 0;
  }
}
