// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.errors.ResourceException;

/** Counts memory held on behalf of others against one limit. Not thread-safe. */
final class MemoryBudget {
  private final long limitBytes;
  private long heldBytes;

  MemoryBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes {@code sizeBytes}; a {@link ResourceException} if that is more than what is left. */
  void reserve(long sizeBytes) {
    if (heldBytes + sizeBytes > limitBytes) {
      throw new ResourceException(
          "the store holds %s bytes and may hold %s; %s more do not fit"
              .formatted(heldBytes, limitBytes, sizeBytes));
    }
    heldBytes += sizeBytes;
  }

  /** Gives {@code sizeBytes} back. */
  void release(long sizeBytes) {
    heldBytes -= sizeBytes;
  }

  long heldBytes() {
    return heldBytes;
  }
}
