// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;

/**
 * Contiguous elements in memory of the group's device that its owner keeps, and the owner's stream
 * on which they are ready.
 *
 * @param address device address of the first element; of no meaning where there are none
 * @param count elements
 * @param type their type
 * @param stream orders the call with other work on these elements
 */
public record Tensor(long address, long count, DataType type, Stream stream) {
  /** Checks the count. */
  public Tensor {
    checkArgument(count >= 0, "a count is not negative: %s", count);
  }

  /** Its elements, as memory of {@code device}, the group's. */
  DeviceBuffer on(DeviceAdaptor device) {
    return DeviceBuffer.foreign(device, address, count, type);
  }

  /** Bytes of it. */
  public long sizeBytes() {
    return Math.multiplyExact(count, type.sizeBytes());
  }

  /** For people: {@code 8 f32 at 0x7f0000}. */
  @Override
  public String toString() {
    return count + " " + type.text() + " at 0x" + Long.toHexString(address);
  }
}
