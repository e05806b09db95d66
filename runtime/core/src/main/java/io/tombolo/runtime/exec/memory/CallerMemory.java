// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceMemory;
import java.util.Optional;

/**
 * Device memory of a caller, which messages may lie in.
 *
 * @param address its first byte
 * @param sizeBytes bytes from there
 * @param allocation what it lies in, if our device has allocated that: only then fabrics may
 *     register it, as they are told when it is freed
 */
public record CallerMemory(long address, long sizeBytes, Optional<DeviceMemory> allocation) {
  /** It as channels see it, copied by {@code copies} where they do not reach it themselves. */
  public DeviceWindow window(WindowCopies copies) {
    return allocation.isPresent()
        ? DeviceWindow.of(copies, allocation.get(), address)
        : new DeviceWindow(copies, address, sizeBytes, Optional.empty(), 0);
  }
}
