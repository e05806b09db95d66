// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * What every object of the library has: a handle, closed once. Close in the reverse order of
 * opening: the library refuses to close what others depend on.
 */
final class Handle implements AutoCloseable {
  private static final long CLOSED = 0;

  private final String what;
  private final DeviceEvents device;
  private long value;

  /** The handle of the {@code what} that has just been made on the device of these events. */
  Handle(String what, long value, DeviceEvents device) {
    this.what = what;
    this.value = value;
    this.device = device;
  }

  /** The handle of the {@code what} that has just been made on the same device. */
  Handle made(String what, long value) {
    return new Handle(what, value, device);
  }

  /** Whether it has gone with its device, so that a call on it had this result. */
  boolean isGone(long result) {
    return device.isGone(result);
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
    if (value == CLOSED) {
      return;
    }
    long result = VerbsNative.close0(value);
    if (isGone(result)) {
      VerbsNative.forget0(value);
    } else {
      VerbsErrors.check("close a " + what, result);
    }
    value = CLOSED;
  }
}
