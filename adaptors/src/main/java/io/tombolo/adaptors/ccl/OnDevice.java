// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.MemoryExport;
import java.util.function.BooleanSupplier;

/** What a collective library needs of the device that it works on. */
public interface OnDevice {
  /**
   * Makes the device current on the calling thread, until {@link #unbind} is given what this
   * returns.
   */
  long bind();

  /** Makes current what was so before {@link #bind}. */
  void unbind(long before);

  /** Queues a copy of {@code sizeBytes} within the device's memory. */
  void copy(long destination, long source, long sizeBytes, Stream stream);

  /** How fabrics may reach {@code memory}, which the library has allocated on the device. */
  MemoryExport export(DeviceMemory memory);

  /** As {@link DeviceAdaptor#leavesBehind}. */
  BooleanSupplier leavesBehind();

  /** Needs nothing: for looking at a library without using it. */
  OnDevice NONE =
      new OnDevice() {
        @Override
        public long bind() {
          return 0;
        }

        @Override
        public void unbind(long before) {}

        @Override
        public void copy(long destination, long source, long sizeBytes, Stream stream) {
          throw new IllegalStateException("this library was opened without a device");
        }

        @Override
        public MemoryExport export(DeviceMemory memory) {
          return MemoryExport.COPIES;
        }

        @Override
        public BooleanSupplier leavesBehind() {
          return () -> false;
        }
      };

  /** Works on {@code device}, which must outlive the library. */
  static OnDevice of(DeviceAdaptor device) {
    return new OnDevice() {
      @Override
      public long bind() {
        return device.bindThread();
      }

      @Override
      public void unbind(long before) {
        device.unbindThread(before);
      }

      @Override
      public void copy(long destination, long source, long sizeBytes, Stream stream) {
        device.copyAsync(CopyDirection.DEVICE_TO_DEVICE, destination, source, sizeBytes, stream);
      }

      @Override
      public MemoryExport export(DeviceMemory memory) {
        return device.export(memory);
      }

      @Override
      public BooleanSupplier leavesBehind() {
        return device.leavesBehind();
      }
    };
  }
}
