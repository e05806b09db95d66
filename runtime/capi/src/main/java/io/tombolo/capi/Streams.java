// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.adaptors.device.HostStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The caller's streams, by the vendor's handles, and one that is nobody's, for calls in the order
 * of the host. Thread-safe.
 */
final class Streams implements AutoCloseable {
  private final DeviceAdaptor device;
  private final Map<Long, Stream> byHandle = new ConcurrentHashMap<>();
  private volatile Known recent;
  private Stream hostOrdered;

  private record Known(long handle, Stream stream) {}

  Streams(DeviceAdaptor device) {
    this.device = device;
  }

  /** Whether the device has streams of its vendor's, which callers may have, too. */
  boolean hasHandles() {
    return !(device instanceof HostDevice);
  }

  /** The caller's stream {@code handle}. */
  Stream of(long handle) {
    Known known = recent;
    if (known != null && known.handle() == handle) {
      return known.stream();
    }
    Stream stream = byHandle.computeIfAbsent(handle, device::streamOf);
    recent = new Known(handle, stream);
    return stream;
  }

  /** A stream that has reached every call when it is made. */
  synchronized Stream hostOrdered() {
    if (hostOrdered == null) {
      hostOrdered = hasHandles() ? device.newStream() : HostStream.ofCaller();
    }
    return hostOrdered;
  }

  @Override
  public synchronized void close() {
    byHandle.values().forEach(Stream::close);
    if (hostOrdered != null) {
      hostOrdered.close();
    }
  }
}
