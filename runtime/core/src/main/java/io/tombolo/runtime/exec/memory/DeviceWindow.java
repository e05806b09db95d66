// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryBlock;
import java.util.Optional;

/**
 * Device memory as fabrics see it: registered where it lies in a block that they can register, else
 * copied by the device's engine.
 *
 * @param copies who copies
 * @param address device address of its first byte
 * @param sizeBytes bytes from there
 * @param block the block that it is in, if it is known
 * @param blockOffset where in the block it begins
 */
public record DeviceWindow(
    WindowCopies copies,
    long address,
    long sizeBytes,
    Optional<MemoryBlock> block,
    long blockOffset)
    implements LocalMemory {

  /** All of {@code memory} from {@code address} on, known as a block. */
  public static DeviceWindow of(WindowCopies copies, DeviceMemory memory, long address) {
    long offset = address - memory.address();
    return new DeviceWindow(
        copies, address, memory.sizeBytes() - offset, Optional.of(memory.block()), offset);
  }

  @Override
  public long copyOut(long offset, long hostAddress, long length) {
    return copies.start(CopyDirection.DEVICE_TO_HOST, hostAddress, at(offset, length), length);
  }

  @Override
  public long copyIn(long offset, long hostAddress, long length) {
    return copies.start(CopyDirection.HOST_TO_DEVICE, at(offset, length), hostAddress, length);
  }

  @Override
  public long plainAddress() {
    return copies.areOfHost() ? address : 0;
  }

  @Override
  public boolean hasEngineFor(long hostAddress, long length) {
    return copies.reaches(hostAddress, length);
  }

  @Override
  public boolean isDone(long ticket) {
    return copies.isDone(ticket);
  }

  private long at(long offset, long length) {
    if (offset < 0 || length < 0 || offset > sizeBytes - length) {
      throw new IndexOutOfBoundsException("[" + offset + ", +" + length + ") is outside " + this);
    }
    return address + offset;
  }
}
