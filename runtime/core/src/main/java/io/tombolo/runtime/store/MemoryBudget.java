// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.errors.ResourceException;
import java.util.IdentityHashMap;

/** Counts memory held on behalf of others against one limit. Not thread-safe. */
final class MemoryBudget {
  /** What it takes to remember one holder. */
  private static final long HOLDER_BYTES = 64;

  private final long limitBytes;
  private final IdentityHashMap<byte[], Integer> holders = new IdentityHashMap<>();
  private long heldBytes;

  MemoryBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes {@code sizeBytes}; a {@link ResourceException} if that is more than what is left. */
  void reserve(long sizeBytes) {
    if (heldBytes + sizeBytes > limitBytes) {
      throw new ResourceException(
          "the store holds %s bytes and may hold %s; %s more do not fit: put less into it, or remove what is needed no more"
              .formatted(heldBytes, limitBytes, sizeBytes));
    }
    heldBytes += sizeBytes;
  }

  /** One more holds {@code bytes}, which count once, however many hold them. */
  void hold(byte[] bytes) {
    reserve(HOLDER_BYTES + (holders.containsKey(bytes) ? 0 : bytes.length));
    holders.merge(bytes, 1, Integer::sum);
  }

  /** One that {@linkplain #hold held} {@code bytes} does so no more. */
  void letGo(byte[] bytes) {
    boolean wasLast = holders.merge(bytes, -1, Integer::sum) == 0;
    if (wasLast) {
      holders.remove(bytes);
    }
    release(HOLDER_BYTES + (wasLast ? bytes.length : 0));
  }

  /** Gives {@code sizeBytes} back. */
  void release(long sizeBytes) {
    heldBytes -= sizeBytes;
  }

  long heldBytes() {
    return heldBytes;
  }
}
