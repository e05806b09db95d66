// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Where datagrams go. Close it after the last datagram to it has completed. */
final class PeerAddress implements AutoCloseable {
  private final Handle handle;

  PeerAddress(Handle handle) {
    this.handle = handle;
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }
}
