// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceMemory;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The blocks that a device has handed out and not taken back, by address. Thread-safe. */
final class Allocations {
  private final NavigableMap<Long, DeviceMemory> byAddress = new ConcurrentSkipListMap<>();

  /** {@code memory} was handed out. */
  <M extends DeviceMemory> M added(M memory) {
    byAddress.put(memory.address(), memory);
    return memory;
  }

  /** {@code memory}, which begins at {@code address}, is about to be freed; if it is known. */
  void remove(long address, DeviceMemory memory) {
    byAddress.remove(address, memory);
  }

  /** The block that {@code sizeBytes} from {@code address} on lie in. */
  Optional<DeviceMemory> find(long address, long sizeBytes) {
    return Optional.ofNullable(byAddress.floorEntry(address))
        .filter(entry -> sizeBytes <= entry.getValue().sizeBytes() - (address - entry.getKey()))
        .map(Map.Entry::getValue);
  }
}
