// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.CopyDirection;

/** A copy between a device's memory and host memory, queued piece by piece. */
final class WindowCopy {
  private final boolean toHost;
  private final long host;
  private final long device;
  private final long sizeBytes;
  private long queued;
  private long ended;

  WindowCopy(CopyDirection direction, long destination, long source, long sizeBytes) {
    this.toHost = direction == CopyDirection.DEVICE_TO_HOST;
    this.host = toHost ? destination : source;
    this.device = toHost ? source : destination;
    this.sizeBytes = sizeBytes;
  }

  boolean isToHost() {
    return toHost;
  }

  CopyDirection direction() {
    return toHost ? CopyDirection.DEVICE_TO_HOST : CopyDirection.HOST_TO_DEVICE;
  }

  /** Where the host's side begins. */
  long host() {
    return host;
  }

  /** Where the device's side begins. */
  long device() {
    return device;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Bytes that have been queued. */
  long queued() {
    return queued;
  }

  /** Bytes that have not been queued. */
  long left() {
    return sizeBytes - queued;
  }

  void queue(long bytes) {
    queued += bytes;
  }

  /** {@code bytes} more have been copied; whether that is all. */
  boolean end(long bytes) {
    ended += bytes;
    return ended == sizeBytes;
  }
}
