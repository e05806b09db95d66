// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.CopyDirection;

/** A copy between a device's memory and host memory, queued piece by piece; reused. */
final class WindowCopy {
  private boolean toHost;
  private long host;
  private long device;
  private long sizeBytes;
  private long queued;
  private long ended;

  /** Nothing of it is queued. */
  void set(CopyDirection direction, long destination, long source, long size) {
    toHost = direction == CopyDirection.DEVICE_TO_HOST;
    host = toHost ? destination : source;
    device = toHost ? source : destination;
    sizeBytes = size;
    queued = 0;
    ended = 0;
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
