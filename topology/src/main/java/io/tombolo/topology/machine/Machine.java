// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.stream.Stream;

/**
 * What is in a host, without its name: hosts that are built alike share one machine.
 *
 * <p>A machine is sound: ids and port GUIDs are unique, parents exist, the PCI tree has no cycle,
 * links join accelerators that are there. Everything else is refused with a {@link
 * io.tombolo.base.errors.UsageException}.
 *
 * @param model what it is, for people
 * @param environment {@code bare metal}, or which virtual machine or container it is
 * @param numaNodes by id
 * @param bridges those above a device; in any order
 * @param accelerators in device order
 * @param nics in device order
 * @param vendorLinks between accelerators
 */
public record Machine(
    String model,
    String environment,
    ImmutableList<NumaNode> numaNodes,
    ImmutableList<Bridge> bridges,
    ImmutableList<Accelerator> accelerators,
    ImmutableList<Nic> nics,
    ImmutableList<VendorLink> vendorLinks) {

  /** Checks that it is sound. */
  public Machine {
    Soundness.check(numaNodes, bridges, accelerators, nics, vendorLinks, model);
  }

  /** Everything in the PCI tree. */
  public Stream<PciPart> parts() {
    return Stream.of(bridges, accelerators, nics).flatMap(ImmutableList::stream);
  }

  /** Everything in the PCI tree, by id. */
  public ImmutableMap<String, PciPart> partsById() {
    return parts().collect(ImmutableMap.toImmutableMap(PciPart::id, part -> part));
  }

  /**
   * The NICs that data goes through: those that are up, and of these only the RDMA devices if there
   * are any. Their positions here are the rails.
   */
  public ImmutableList<Nic> rails() {
    boolean rdma = nics.stream().anyMatch(nic -> nic.isUp() && nic.rdma());
    return nics.stream()
        .filter(nic -> nic.isUp() && nic.rdma() == rdma)
        .collect(ImmutableList.toImmutableList());
  }
}
