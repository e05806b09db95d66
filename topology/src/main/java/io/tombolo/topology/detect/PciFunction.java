// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import java.util.Locale;

/**
 * A PCI function as sysfs shows it.
 *
 * @param megabytesPerSecond what its link carries when it is awake, one direction
 * @param physicalFunction of a virtual function, the address of the function it is a part of; else
 *     empty
 * @param above the host bridge, then the bridges down to this function
 */
record PciFunction(
    String address,
    int vendorId,
    int deviceId,
    int classId,
    int numaNode,
    int megabytesPerSecond,
    String physicalFunction,
    ImmutableList<String> above) {

  /** The bridge right above it; empty if there is none. */
  String parent() {
    return above.isEmpty() ? "" : above.get(above.size() - 1);
  }

  /** Its device id as four hexadecimal digits. */
  String model() {
    return String.format(Locale.ROOT, "%04x", deviceId);
  }
}
