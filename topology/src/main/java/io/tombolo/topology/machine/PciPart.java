// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/** Something that hangs in a host's PCI tree. */
public sealed interface PciPart permits Bridge, Accelerator, Nic {

  /** What it is called in its machine; a PCI address where it has one. */
  String id();

  /** The bridge it hangs under; empty for a host bridge and for what has no place in the tree. */
  String parent();

  /** The NUMA node it is near to, or -1 if nobody says. */
  int numaNode();

  /** Bandwidth of its link to its parent, one direction; 0 if unknown. */
  int megabytesPerSecond();
}
