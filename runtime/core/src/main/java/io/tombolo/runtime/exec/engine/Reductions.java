// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.runtime.plan.Reach;
import java.util.Optional;

/**
 * Where a rank combines elements; the bits are the same everywhere. The user's own functions,
 * divisions and multiplications are the host's always.
 *
 * @param device combines on the device; none where the host engine does it all
 * @param fromBytes how large a piece must be for the device
 * @param text it in words, and why
 */
public record Reductions(Optional<DeviceReducer> device, long fromBytes, String text) {

  /** Bytes from which on a piece is combined on the device; {@link Reach#NEVER}, if none is. */
  public long deviceFromBytes() {
    return device.isPresent() ? fromBytes : Reach.NEVER;
  }

  /** By the host engine, in pinned memory. */
  public static Reductions onHost(String why) {
    return new Reductions(Optional.empty(), 0, "host engine (" + why + ")");
  }

  /** By {@code device}, whose kernels {@code maker} made, and smaller pieces by the host engine. */
  public static Reductions onDevice(DeviceReducer device, String maker, long fromBytes) {
    return new Reductions(Optional.of(device), fromBytes, deviceText(maker, fromBytes));
  }

  /** What {@link #onDevice} is in words. */
  public static String deviceText(String maker, long fromBytes) {
    String smaller = fromBytes == 0 ? "" : ", pieces below " + fromBytes + " bytes: host engine";
    return "device (" + maker + ")" + smaller;
  }
}
