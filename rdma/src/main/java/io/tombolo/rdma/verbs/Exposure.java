// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * Memory that is registered for peers' reads until it is withdrawn, whatever calls come and go
 * meanwhile. Thread-safe.
 */
public final class Exposure implements AutoCloseable {
  private final NicPort nic;
  private final Registration registration;
  private final GenerationCells cells;
  private final RemoteMemory remote;
  private boolean isVoid;

  Exposure(NicPort nic, Registration registration, GenerationCells cells, RemoteMemory remote) {
    this.nic = nic;
    this.registration = registration;
    this.cells = cells;
    this.remote = remote;
  }

  /** What readers have to know of it. */
  public RemoteMemory remote() {
    return remote;
  }

  /**
   * Ends it at once: it waits for no reader, and no read that is on or comes later succeeds. From
   * then on the memory may be written, and it may be freed when this returns. Harmless once it has
   * returned.
   *
   * @throws io.tombolo.base.errors.FabricException if the NIC does not let go of the memory: it is
   *     void all the same, but must not be freed before another call has returned
   */
  public synchronized void withdraw() {
    if (!isVoid) {
      isVoid = true;
      cells.drop(remote.cell());
    }
    synchronized (nic) {
      registration.close();
    }
  }

  /** As {@link #withdraw}. */
  @Override
  public void close() {
    withdraw();
  }
}
