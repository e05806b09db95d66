// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.topology.machine.LinkCost;

/** Times a device's copy engine: from device memory to pinned memory and back. */
final class CopyProbe {
  private CopyProbe() {}

  static LinkCost measure(DeviceAdaptor device, Deadline deadline) {
    try (Stream stream = device.newStream();
        DeviceMemory memory = device.allocate(RoundTrips.MAX_BYTES);
        DeviceMemory pinned = device.allocatePinned(RoundTrips.MAX_BYTES)) {
      return RoundTrips.time(
          sizeBytes -> {
            device.copyAsync(
                CopyDirection.DEVICE_TO_HOST,
                pinned.address(),
                memory.address(),
                sizeBytes,
                stream);
            device.copyAsync(
                CopyDirection.HOST_TO_DEVICE,
                memory.address(),
                pinned.address(),
                sizeBytes,
                stream);
            Patience.until(
                stream::isIdle,
                deadline,
                () ->
                    "a copy of %s bytes does not end on %s"
                        .formatted(sizeBytes, device.properties().name()));
          });
    }
  }
}
