// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/**
 * A bridge of the PCI tree. One without a parent is a host bridge: the place where the tree meets
 * the CPU.
 *
 * @param id PCI address, or the name of the host bridge
 * @param parent the bridge above, or empty
 * @param numaNode its NUMA node, or -1
 * @param megabytesPerSecond bandwidth to its parent, one direction; 0 if unknown
 */
public record Bridge(String id, String parent, int numaNode, int megabytesPerSecond)
    implements PciPart {

  /** Whether this is where the tree meets the CPU. */
  public boolean isHostBridge() {
    return parent.isEmpty();
  }
}
