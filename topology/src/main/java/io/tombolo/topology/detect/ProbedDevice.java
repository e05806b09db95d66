// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import io.tombolo.topology.machine.PciIds;

/**
 * What a vendor's device runtime says of one device.
 *
 * @param vendor vendor string, as in rank descriptors
 * @param ordinal its number in that runtime, among the devices that this process may see
 * @param name the model, in the vendor's words
 * @param architecture what keeps it apart from others of its vendor, as in rank descriptors; empty
 *     where nothing does
 * @param pciAddress in the kernel's spelling; empty if the runtime gives none
 * @param memoryBytes its memory
 * @param runtime name and version of the runtime
 * @param emulated whether an emulation says so; its PCI address is then made up
 */
public record ProbedDevice(
    String vendor,
    int ordinal,
    String name,
    String architecture,
    String pciAddress,
    long memoryBytes,
    String runtime,
    boolean emulated) {

  /** Spells the address as the kernel does. */
  public ProbedDevice {
    pciAddress = pciAddress.isBlank() ? "" : PciIds.address(pciAddress);
  }

  /** The vendor and the ordinal: {@code nvidia:0}. */
  public String label() {
    return vendor + ":" + ordinal;
  }

  /** Whether it can be the device that the kernel knows under its PCI address. */
  boolean hasPlace() {
    return !emulated && !pciAddress.isEmpty();
  }

  /** What it is called in its machine. */
  String id() {
    return hasPlace() ? pciAddress : label();
  }
}
