package io.tombolo.runtime.exec;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;

/**
 * The communicator's pinned arena. It grows, between operations, to what the largest plan so far
 * needs.
 */
final class Stage implements AutoCloseable {
  private static final long SMALLEST_BYTES = 64 << 10;

  private final DeviceAdaptor device;
  private DeviceMemory memory;

  Stage(DeviceAdaptor device) {
    this.device = device;
  }

  /** Address of at least {@code sizeBytes}; what an earlier call gave is no longer valid. */
  long reserve(long sizeBytes) {
    if (memory == null || memory.sizeBytes() < sizeBytes) {
      close();
      memory = device.allocatePinned(Math.max(sizeBytes, SMALLEST_BYTES));
    }
    return memory.address();
  }

  @Override
  public void close() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }
}
