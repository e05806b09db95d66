// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Receives that several queue pairs take from, so that idle peers cost none. */
final class SharedReceives implements ReceiveQueue, AutoCloseable {
  private final Handle handle;

  SharedReceives(Handle handle) {
    this.handle = handle;
  }

  @Override
  public int post(long records, int count) {
    return VerbsNative.receiveShared0(handle.get(), records, count);
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }
}
