// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/**
 * A device that ranks compute on.
 *
 * @param id PCI address
 * @param parent the bridge above, or empty
 * @param numaNode its NUMA node, or -1
 * @param megabytesPerSecond bandwidth of its PCI link, one direction; 0 if unknown
 * @param vendor vendor string, as in rank descriptors
 * @param model what it is called, or its PCI device id
 * @param architecture what keeps it apart from others of its vendor, whose collective library does
 *     not join them in one communicator; empty where nothing does
 */
public record Accelerator(
    String id,
    String parent,
    int numaNode,
    int megabytesPerSecond,
    String vendor,
    String model,
    String architecture)
    implements PciPart {

  /** With the architecture that is publicly known of its model. */
  public Accelerator(
      String id, String parent, int numaNode, int megabytesPerSecond, String vendor, String model) {
    this(
        id,
        parent,
        numaNode,
        megabytesPerSecond,
        vendor,
        model,
        Architectures.apart(vendor, model));
  }
}
