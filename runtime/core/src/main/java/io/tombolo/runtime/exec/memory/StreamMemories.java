// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory for tasks that must not wait for each other's: each has its own from the call on. Only
 * those of calls that a stream makes one after the other share it. Thread-safe.
 */
public final class StreamMemories implements AutoCloseable {
  private final TaskMemoryPool pool;
  private final Map<LentMemory.Place, LentMemory> newest = new HashMap<>();

  /** Memory of {@code device}. */
  public StreamMemories(DeviceAdaptor device) {
    pool = new TaskMemoryPool(device, Integer.MAX_VALUE);
  }

  /**
   * Memory for the task {@code index} of a call on {@code stream}, which begins after all earlier
   * calls there have ended if it is {@code serial}. For callers, before they hold the stream: what
   * is missing is allocated.
   */
  public LentMemory lend(
      Stream stream,
      int index,
      boolean serial,
      long stageBytes,
      long scratchBytes,
      long packedBytes) {
    LentMemory.Place place = new LentMemory.Place(stream, index);
    synchronized (this) {
      LentMemory last = newest.get(place);
      if (serial && last != null && last.memory().suffices(stageBytes, scratchBytes, packedBytes)) {
        last.join();
        return last;
      }
    }
    LentMemory lent = new LentMemory(place, pool.take(stageBytes, scratchBytes, packedBytes));
    if (serial) {
      synchronized (this) {
        newest.put(place, lent);
      }
    }
    return lent;
  }

  /** A task is done with {@code lent}. */
  public synchronized void giveBack(LentMemory lent) {
    if (lent.leave()) {
      newest.remove(lent.place(), lent);
      pool.giveBack(lent.memory());
    }
  }

  /** As {@link TaskMemoryPool#closeUnlent}. */
  public long closeUnlent() {
    return pool.closeUnlent();
  }

  @Override
  public void close() {
    pool.close();
  }
}
