// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.util.function.Supplier;

/**
 * One allocation that fabrics may read and write by themselves: each registers it once, and uses it
 * until it is freed. Two blocks are never equal, so that memory which is allocated again at the
 * same address is not taken for what was there before. Thread-safe.
 */
public final class MemoryBlock {
  private final long sizeBytes;
  private final Supplier<MemoryExport> export;
  private volatile boolean freed;

  /**
   * A block of {@code sizeBytes}; {@code export} says how it can be reached from its first byte on,
   * each time it is asked.
   */
  public MemoryBlock(long sizeBytes, Supplier<MemoryExport> export) {
    checkArgument(sizeBytes > 0, "a block has at least one byte, not %s", sizeBytes);
    this.sizeBytes = sizeBytes;
    this.export = requireNonNull(export, "export");
  }

  /** Bytes of the allocation. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** How a fabric can register it; a descriptor in it is the caller's to close. */
  public MemoryExport export() {
    return freed ? new MemoryExport.None("it was freed") : export.get();
  }

  /** Its memory is, or is about to be, freed: registrations of it go, and nothing new is begun. */
  public void freed() {
    freed = true;
  }

  /** Whether {@link #freed} was called. */
  public boolean isFreed() {
    return freed;
  }
}
