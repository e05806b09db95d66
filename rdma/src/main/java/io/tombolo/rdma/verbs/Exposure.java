// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * Memory that is registered for peers' reads until it is withdrawn, whatever calls come and go
 * meanwhile. Thread-safe.
 */
public final class Exposure implements AutoCloseable {
  private final Registration registration;
  private final GenerationCells cells;
  private final RemoteMemory remote;
  private boolean isVoid;

  Exposure(Registration registration, GenerationCells cells, RemoteMemory remote) {
    this.registration = registration;
    this.cells = cells;
    this.remote = remote;
  }

  /** What readers have to know of it. */
  public RemoteMemory remote() {
    return remote;
  }

  /**
   * Ends it at once, and waits for no reader: a read that comes later, or has not all its bytes
   * yet, does not succeed. When this returns, the memory may be written, and freed. Harmless once
   * it has returned.
   *
   * @throws io.tombolo.base.errors.FabricException if the NIC does not let go of the memory, which
   *     may be written all the same, but must not be freed before another call has returned
   */
  public synchronized void withdraw() {
    if (!isVoid) {
      isVoid = true;
      cells.drop(remote.cell());
    }
    registration.close();
  }

  /** As {@link #withdraw}. */
  @Override
  public void close() {
    withdraw();
  }
}
