// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;

/** Host memory that packets are sent from; copies are done at once. */
record HeldMemory(NativeMemory memory) implements LocalMemory {
  @Override
  public long sizeBytes() {
    return memory.sizeBytes();
  }

  @Override
  public long copyOut(long offset, long hostAddress, long sizeBytes) {
    NativeMemory.copy(hostAddress, memory.address(offset, sizeBytes), sizeBytes);
    return DONE;
  }

  @Override
  public long copyIn(long offset, long hostAddress, long sizeBytes) {
    NativeMemory.copy(memory.address(offset, sizeBytes), hostAddress, sizeBytes);
    return DONE;
  }

  @Override
  public boolean isDone(long ticket) {
    return true;
  }
}
