// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.base.errors.UnsupportedException;
import java.util.HashMap;
import java.util.Map;

/**
 * The devices of its runtime whose memory a device uses. They are kept open for that: without its
 * context a device's memory is nobody's to use. Thread-safe.
 */
final class Peers implements AutoCloseable {
  private final DeviceRuntime runtime;
  private final long device;
  private final int ordinal;
  private final Map<Integer, Long> enabled = new HashMap<>();

  /** Those of {@code device}, which is number {@code ordinal} of {@code runtime}. */
  Peers(DeviceRuntime runtime, long device, int ordinal) {
    this.runtime = runtime;
    this.device = device;
    this.ordinal = ordinal;
  }

  boolean canAccess(int other) {
    runtime.checkOrdinal(other);
    return other == ordinal || DeviceLibrary.canAccessPeer(device, other);
  }

  synchronized void enable(int other) {
    if (!canAccess(other)) {
      throw new UnsupportedException(
          "device " + ordinal + " cannot reach the memory of device " + other + "; copy by a host");
    }
    if (other != ordinal && !enabled.containsKey(other)) {
      enabled.put(other, enabled(other));
    }
  }

  private long enabled(int other) {
    long peer = runtime.openHandle(other);
    try {
      DeviceLibrary.enablePeer(device, peer);
      return peer;
    } catch (RuntimeException e) {
      DeviceLibrary.closeDevice(peer);
      throw e;
    }
  }

  @Override
  public synchronized void close() {
    enabled.values().forEach(DeviceLibrary::closeDevice);
    enabled.clear();
  }
}
