// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;

/** Host memory as a fabric sees it; copies finish at once. Whoever creates it closes it. */
public final class SimulatedMemory implements LocalMemory, AutoCloseable {
  private final NativeMemory bytes;

  /** A zeroed block. */
  public SimulatedMemory(long sizeBytes) {
    bytes = NativeMemory.allocate(sizeBytes);
  }

  /** The bytes themselves. */
  public NativeMemory bytes() {
    return bytes;
  }

  @Override
  public long sizeBytes() {
    return bytes.sizeBytes();
  }

  @Override
  public long copyOut(long offset, long hostAddress, long sizeBytes) {
    NativeMemory.copy(hostAddress, bytes.address(offset, sizeBytes), sizeBytes);
    return DONE;
  }

  @Override
  public long copyIn(long offset, long hostAddress, long sizeBytes) {
    NativeMemory.copy(bytes.address(offset, sizeBytes), hostAddress, sizeBytes);
    return DONE;
  }

  @Override
  public MemoryExport export() {
    return new MemoryExport.Host(bytes.address());
  }

  @Override
  public boolean isDone(long ticket) {
    return true;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
