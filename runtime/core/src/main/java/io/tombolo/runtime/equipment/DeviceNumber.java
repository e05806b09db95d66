// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.ccl.SharedDevice;
import io.tombolo.base.errors.UsageException;

/** The number of a rank's device, which is too high where a host has fewer devices than ranks. */
final class DeviceNumber {
  private DeviceNumber() {}

  /**
   * Refuses a device that is not there, and says how ranks share those that are.
   *
   * @param count devices of {@code vendor} here; 0 where its only device is the host
   */
  static void check(int number, int count, Vendor vendor) {
    if (count == 0 || number < count) {
      return;
    }
    throw new UsageException(
        "no device %s: of '%s' this process sees %s only; start fewer ranks of it on this host, or let them share: TOMBOLO_DEVICE=0%s"
            .formatted(number, vendor.name(), seen(count), apart(vendor)));
  }

  private static String seen(int count) {
    return count == 1 ? "device 0" : "devices 0 to " + (count - 1);
  }

  private static String apart(Vendor vendor) {
    return vendor.environment().preset().containsKey(SharedDevice.HOST_ID)
        ? ", and for each " + SharedDevice.FIX
        : "";
  }
}
