package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;

/** What a collective library needs of the device that it works on. */
public interface OnDevice {
  /** Makes the device current on the calling thread. */
  void bind();

  /** Queues a copy of {@code sizeBytes} within the device's memory. */
  void copy(long destination, long source, long sizeBytes, Stream stream);

  /** Needs nothing: for looking at a library without using it. */
  OnDevice NONE =
      new OnDevice() {
        @Override
        public void bind() {}

        @Override
        public void copy(long destination, long source, long sizeBytes, Stream stream) {
          throw new IllegalStateException("this library was opened without a device");
        }
      };

  /** Works on {@code device}, which must outlive the library. */
  static OnDevice of(DeviceAdaptor device) {
    return new OnDevice() {
      @Override
      public void bind() {
        device.bindThread();
      }

      @Override
      public void copy(long destination, long source, long sizeBytes, Stream stream) {
        device.copyAsync(CopyDirection.DEVICE_TO_DEVICE, destination, source, sizeBytes, stream);
      }
    };
  }
}
