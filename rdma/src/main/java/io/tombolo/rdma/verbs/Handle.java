// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * What every object of the library has: a handle, closed once. Close in the reverse order of
 * opening: the library refuses to close what others depend on.
 */
final class Handle implements AutoCloseable {
  private static final long CLOSED = 0;

  private final String what;
  private long value;

  /** The handle of the {@code what} that has just been made. */
  Handle(String what, long value) {
    this.what = what;
    this.value = value;
  }

  /** The number that crosses JNI. */
  long get() {
    if (value == CLOSED) {
      throw new IllegalStateException("this " + what + " is closed");
    }
    return value;
  }

  boolean isClosed() {
    return value == CLOSED;
  }

  @Override
  public void close() {
    if (value != CLOSED) {
      VerbsErrors.check("close a " + what, VerbsNative.close0(value));
      value = CLOSED;
    }
  }
}
