// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import java.util.Optional;

/**
 * Host memory as fabrics see it, which they may read and write; copies are done when the call
 * returns.
 *
 * @param address first byte
 * @param sizeBytes bytes from there
 * @param block the allocation that begins there, where fabrics may register it
 * @param isPlain whether another process may read it: not where a device's driver has mapped it
 */
public record HostWindow(long address, long sizeBytes, Optional<MemoryBlock> block, boolean isPlain)
    implements LocalMemory {
  /** Memory that no fabric registers and no other process reads. */
  public HostWindow(long address, long sizeBytes) {
    this(address, sizeBytes, Optional.empty(), false);
  }

  @Override
  public long copyOut(long offset, long hostAddress, long length) {
    NativeMemory.copy(hostAddress, at(offset, length), length);
    return DONE;
  }

  @Override
  public long copyIn(long offset, long hostAddress, long length) {
    NativeMemory.copy(at(offset, length), hostAddress, length);
    return DONE;
  }

  @Override
  public MemoryExport export() {
    return new MemoryExport.Host(address);
  }

  @Override
  public long plainAddress() {
    return isPlain ? address : 0;
  }

  @Override
  public boolean isDone(long ticket) {
    return true;
  }

  private long at(long offset, long length) {
    if (offset < 0 || length < 0 || offset > sizeBytes - length) {
      throw new IndexOutOfBoundsException("[" + offset + ", +" + length + ") is outside " + this);
    }
    return address + offset;
  }
}
