// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import java.util.Optional;

/**
 * Memory that the caller brings as an address: what the runtime says of it before a device finds
 * out, in the middle of an operation. Numbers below 0 are those of {@code calls.h}.
 */
final class ForeignMemory {
  private static final int NOT_TOLD = -1;
  private static final int UNKNOWN = -2;
  private static final int HOST = -3;

  private ForeignMemory() {}

  /**
   * Why the open device {@code handle} of {@code ordinal} cannot use what is at {@code address}.
   */
  static Optional<String> objection(long handle, int ordinal, long address, String runtime) {
    int place = DeviceLibrary.placeOf(handle, address);
    return place == ordinal || place == NOT_TOLD
        ? Optional.empty()
        : Optional.of(objection(place, runtime));
  }

  private static String objection(int place, String runtime) {
    return switch (place) {
      case UNKNOWN ->
          "which the "
              + runtime
              + " does not know: it is no device's memory, or freed by now, or of another context";
      case HOST -> "which is memory of the host: copy it to the device first";
      default -> "which is memory of device " + place + " of the " + runtime;
    };
  }
}
