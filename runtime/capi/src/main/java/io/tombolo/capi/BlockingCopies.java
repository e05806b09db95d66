// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.CloseStack;
import io.tombolo.base.NativeMemory;

/**
 * Copies between host and device that are done when they return, for programs without a runtime of
 * their own. They go through pinned memory, and are not fast. Thread-safe.
 */
final class BlockingCopies implements AutoCloseable {
  private static final long PIECE_BYTES = 4 << 20;

  private final DeviceAdaptor device;
  private final StreamPatience patience;
  private final CloseStack opened = new CloseStack();
  private DeviceMemory pinned;
  private Stream stream;

  /** Copies to and from {@code device}. */
  BlockingCopies(DeviceAdaptor device, StreamPatience patience) {
    this.device = device;
    this.patience = patience;
  }

  /** Copies {@code bytes} to the device, or from it. */
  synchronized void copy(long destination, long source, long bytes, boolean toDevice) {
    if (device instanceof HostDevice) {
      NativeMemory.copy(destination, source, bytes);
      return;
    }
    open();
    for (long done = 0; done < bytes; done += PIECE_BYTES) {
      long piece = Math.min(PIECE_BYTES, bytes - done);
      if (toDevice) {
        NativeMemory.copy(pinned.address(), source + done, piece);
        queue(CopyDirection.HOST_TO_DEVICE, destination + done, pinned.address(), piece);
      } else {
        queue(CopyDirection.DEVICE_TO_HOST, pinned.address(), source + done, piece);
        NativeMemory.copy(destination + done, pinned.address(), piece);
      }
    }
  }

  private void open() {
    if (stream == null) {
      pinned = opened.opened(device.allocatePinned(PIECE_BYTES));
      stream = opened.opened(device.newStream());
    }
  }

  private void queue(CopyDirection direction, long destination, long source, long bytes) {
    device.copyAsync(direction, destination, source, bytes, stream);
    patience.awaitIdle(stream, "a copy", bytes);
  }

  @Override
  public synchronized void close() {
    opened.close();
  }
}
