// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Availability;
import io.tombolo.base.CloseStack;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;

/**
 * Checksums of device memory that are there when calls return: only they come to the host.
 * Thread-safe.
 */
final class DeviceChecksums implements AutoCloseable {
  private final DeviceAdaptor device;
  private final StreamPatience patience;
  private final CloseStack opened = new CloseStack();
  private DeviceChecksummer checksummer;
  private DeviceMemory result;
  private DeviceMemory pinned;
  private Stream stream;

  /** Those of {@code device}'s memory; the first one opens what they need. */
  DeviceChecksums(DeviceAdaptor device, StreamPatience patience) {
    this.device = device;
    this.patience = patience;
  }

  /**
   * The CRC-32C of {@code bytes} at {@code address}.
   *
   * @throws UnsupportedException if the device runs no kernels
   * @throws UsageException if the runtime says that this is no memory of the device: a kernel that
   *     reads such may end all of the process's work there
   */
  synchronized int of(long address, long bytes) {
    open();
    if (bytes > 0) {
      device.objection(address).ifPresent(why -> refuse(address, bytes, why));
    }
    checksummer.checksumAsync(result.address(), address, bytes, stream);
    device.copyAsync(
        CopyDirection.DEVICE_TO_HOST,
        pinned.address(),
        result.address(),
        DeviceChecksummer.RESULT_BYTES,
        stream);
    patience.awaitIdle(stream, "a checksum", bytes);
    return NativeMemory.viewOf(pinned.address(), DeviceChecksummer.RESULT_BYTES).getInt(0);
  }

  private void open() {
    if (stream == null) {
      DeviceChecksummer made = device.newChecksummer().orElseThrow(this::lacking);
      opened.opened(() -> closeUnlessTainted(made));
      checksummer = made;
      result = opened.opened(device.allocate(DeviceChecksummer.RESULT_BYTES));
      pinned = opened.opened(device.allocatePinned(DeviceChecksummer.RESULT_BYTES));
      stream = opened.opened(device.newStream());
    }
  }

  private void refuse(long address, long bytes, String why) {
    throw new UsageException(
        "rank %s: a checksum of %s bytes at 0x%x, %s"
            .formatted(patience.rank(), bytes, address, why));
  }

  private UnsupportedException lacking() {
    String why =
        device.reducing() instanceof Availability.Missing missing
            ? missing.cause() + "; " + missing.fix()
            : "it runs no kernels";
    return new UnsupportedException(
        "rank %s: the device computes no checksums (%s); commit without one, and the processor does"
            .formatted(patience.rank(), why));
  }

  /** Taking kernels off a device waits for its work, which may never end then. */
  private void closeUnlessTainted(DeviceChecksummer made) {
    if (!device.isTainted()) {
      made.close();
    }
  }

  @Override
  public synchronized void close() {
    opened.close();
  }
}
