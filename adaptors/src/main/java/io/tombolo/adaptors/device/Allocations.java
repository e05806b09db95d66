// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceMemory;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;

/** The blocks that a device has handed out and not taken back, by address. Thread-safe. */
final class Allocations {
  private static final long[] UNKNOWN = {};

  private final NavigableMap<Long, DeviceMemory> byAddress = new ConcurrentSkipListMap<>();

  /** Begin and end of each block, ascending; unknown since the last change. */
  private volatile long[] bounds = UNKNOWN;

  /** {@code memory} was handed out. */
  <M extends DeviceMemory> M added(M memory) {
    synchronized (this) {
      byAddress.put(memory.address(), memory);
      bounds = UNKNOWN;
    }
    return memory;
  }

  /** {@code memory}, which begins at {@code address}, is about to be freed; if it is known. */
  synchronized void remove(long address, DeviceMemory memory) {
    byAddress.remove(address, memory);
    bounds = UNKNOWN;
  }

  /** The block that {@code sizeBytes} from {@code address} on lie in. */
  Optional<DeviceMemory> find(long address, long sizeBytes) {
    Map.Entry<Long, DeviceMemory> entry = byAddress.floorEntry(address);
    boolean covers =
        entry != null && sizeBytes <= entry.getValue().sizeBytes() - (address - entry.getKey());
    return covers ? Optional.of(entry.getValue()) : Optional.empty();
  }

  /** Whether one block has all {@code sizeBytes} from {@code address} on; makes no garbage. */
  boolean covers(long address, long sizeBytes) {
    long[] now = bounds;
    if (now.length == 0) {
      now = known();
    }
    int from = 0;
    int to = now.length / 2; // the last block that begins at or before the address is in [from, to)
    while (to - from > 1) {
      int middle = (from + to) >>> 1;
      if (now[2 * middle] <= address) {
        from = middle;
      } else {
        to = middle;
      }
    }
    return to > from && now[2 * from] <= address && sizeBytes <= now[2 * from + 1] - address;
  }

  private synchronized long[] known() {
    if (bounds.length == 0) {
      bounds =
          byAddress.values().stream()
              .flatMapToLong(
                  memory -> LongStream.of(memory.address(), memory.address() + memory.sizeBytes()))
              .toArray();
    }
    return bounds;
  }
}
