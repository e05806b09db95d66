// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.exec.memory.DevicePin;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Pinned host memory through which a program fills and reads its device's memory, which it cannot
 * reach itself. Copies are queued on the stream given and waited for. Not thread-safe. The device
 * and the stream stay the caller's.
 */
public final class PinnedStage implements AutoCloseable {
  private static final long PAUSE_NS = 20_000;

  private final DeviceAdaptor device;
  private final Stream stream;
  private final Duration timeout;
  private final NativeMemory host;
  private final DevicePin pin;

  /** A stage of {@code sizeBytes}; one copy waits no longer than {@code timeout}. */
  public PinnedStage(DeviceAdaptor device, Stream stream, int sizeBytes, Duration timeout) {
    this.device = device;
    this.stream = stream;
    this.timeout = timeout;
    this.host = NativeMemory.allocate(sizeBytes);
    try {
      this.pin = new DevicePin(device, host.address(), sizeBytes);
    } catch (RuntimeException e) {
      host.close();
      throw e;
    }
  }

  /** A little-endian view of all of the stage. */
  public ByteBuffer bytes() {
    return host.view(0, (int) host.sizeBytes());
  }

  /**
   * Copies the first {@code sizeBytes} of the stage to device memory, after the stream's earlier
   * work.
   */
  public void write(long deviceAddress, long sizeBytes) {
    device.copyAsync(
        CopyDirection.HOST_TO_DEVICE,
        deviceAddress,
        pin.memory().address(0, sizeBytes),
        sizeBytes,
        stream);
    awaitIdle(sizeBytes);
  }

  /**
   * Copies device memory to the first {@code sizeBytes} of the stage, after the stream's earlier
   * work.
   */
  public void read(long deviceAddress, long sizeBytes) {
    device.copyAsync(
        CopyDirection.DEVICE_TO_HOST,
        pin.memory().address(0, sizeBytes),
        deviceAddress,
        sizeBytes,
        stream);
    awaitIdle(sizeBytes);
  }

  /** What a taint keeps pinned stays. */
  @Override
  public void close() {
    pin.closeWith(host);
  }

  private void awaitIdle(long sizeBytes) {
    Deadline deadline = Deadline.after(timeout);
    while (!stream.isIdle()) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "a copy of "
                + sizeBytes
                + " bytes between host and "
                + device.properties().name()
                + " is not done after "
                + timeout.toMillis()
                + " ms; look at what its stream waits for, or allow more time");
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }
}
