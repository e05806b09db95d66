package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;
import java.util.Locale;

/**
 * A PCI function as sysfs shows it.
 *
 * @param above the host bridge, then the bridges down to this function
 */
record PciFunction(
    String address,
    int vendorId,
    int deviceId,
    int classId,
    int numaNode,
    int megabytesPerSecond,
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
