// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Vendor;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.UnsupportedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Checksums of the memory of any vendor's devices, for programs that have no communicator. Each
 * device is opened when it is first asked. Thread-safe.
 */
final class DeviceSums implements AutoCloseable {
  private record Place(String vendor, int ordinal) {}

  private record Opened(DeviceAdaptor device, DeviceChecksums checksums) {}

  private final Function<String, Vendor> vendors;
  private final Map<Place, Opened> known = new HashMap<>();

  /** Those of the devices of {@code vendors}, by name. */
  DeviceSums(Function<String, Vendor> vendors) {
    this.vendors = vendors;
  }

  /**
   * The CRC-32C of {@code bytes} at {@code address} of that device, as {@link DeviceChecksums#of}
   * has it.
   */
  int of(
      String vendor, int ordinal, long address, long bytes, OptionalLong after, Duration timeout) {
    return checksums(new Place(vendor, ordinal), timeout).of(address, bytes, after, timeout);
  }

  private synchronized DeviceChecksums checksums(Place place, Duration timeout) {
    return known.computeIfAbsent(place, absent -> open(absent, timeout)).checksums();
  }

  private Opened open(Place place, Duration timeout) {
    Vendor vendor = vendors.apply(place.vendor());
    if (vendor.compiler().isEmpty()) { // then it need not be opened
      throw new UnsupportedException(
          "'%s' has no devices that run kernels; leave the checksum out, and the processor computes it"
              .formatted(vendor.name()));
    }
    DeviceAdaptor device = vendor.openRuntime(place.ordinal());
    String who = "device %s of '%s'".formatted(place.ordinal(), vendor.name());
    return new Opened(device, new DeviceChecksums(device, new StreamPatience(who, timeout)));
  }

  /** Forgets all of them and gives nothing back: whoever did that might wait for ever. */
  synchronized void leave() {
    known.clear();
  }

  /** A device that is not done with a checksum stays open. */
  @Override
  public synchronized void close() {
    try (CloseStack stack = new CloseStack()) {
      for (Opened each : known.values()) {
        if (each.checksums().isDone()) {
          stack.opened(each.device());
        }
        stack.opened(each.checksums());
      }
    }
    known.clear();
  }
}
