// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.store.value.HostTensor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A vendor's device that has a state dict in its memory, and copies it to and from host tensors,
 * which it reaches meanwhile.
 */
final class DeviceBench implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final long PAUSE_NS = 20_000;

  private final CloseStack opened = new CloseStack();
  private final DeviceAdaptor device;
  private final Stream stream;
  private final Map<DeviceMemory, DeviceMemory> hostByDevice = new LinkedHashMap<>();

  /** The first device of {@code vendor}, with as much memory as {@code tensors} have. */
  DeviceBench(String vendor, Map<String, HostTensor> tensors) {
    device = opened.opened(Vendors.named(vendor).openDevice(0));
    try {
      stream = opened.opened(device.newStream());
      for (HostTensor tensor : tensors.values()) {
        long size = tensor.spec().sizeBytes();
        DeviceMemory held = opened.opened(device.allocate(size));
        hostByDevice.put(held, opened.opened(device.register(tensor.memory().address(), size)));
      }
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /** Copies all to the device. */
  void upload() {
    hostByDevice.forEach((held, host) -> copy(CopyDirection.HOST_TO_DEVICE, held, host));
    await();
  }

  /** Copies all to the host tensors. */
  void download() {
    hostByDevice.forEach((held, host) -> copy(CopyDirection.DEVICE_TO_HOST, host, held));
    await();
  }

  @Override
  public void close() {
    opened.close();
  }

  private void copy(CopyDirection direction, DeviceMemory to, DeviceMemory from) {
    device.copyAsync(direction, to.address(), from.address(), from.sizeBytes(), stream);
  }

  private void await() {
    Deadline deadline = Deadline.after(LIMIT);
    while (!stream.isIdle()) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "copies of %s are not done after %s s"
                .formatted(device.properties().name(), LIMIT.toSeconds()));
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }
}
