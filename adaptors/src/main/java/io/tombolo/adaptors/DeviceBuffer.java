// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;

/**
 * Contiguous elements in a device's memory: what a collective call reads or writes. A value; it
 * neither owns nor frees the memory, but keeps an {@linkplain #owner} that is known reachable.
 *
 * @param address device address of the first element; of no meaning where there are none
 * @param count number of elements
 * @param type their type
 * @param device the device that the address belongs to
 * @param owner the allocation that the elements lie in; empty for memory of the program around this
 *     one, whose life nobody here can follow
 */
public record DeviceBuffer(
    long address, long count, DataType type, DeviceAdaptor device, Optional<DeviceMemory> owner) {

  /** Checks that the elements lie inside their owner. */
  public DeviceBuffer {
    long sizeBytes = sizeBytes(count, type);
    if (count > 0 && owner.isPresent()) {
      DeviceMemory memory = owner.get();
      long offset = address - memory.address();
      if (offset < 0 || offset > memory.sizeBytes() - sizeBytes) {
        throw new UsageException(
            "%s is outside its memory of %s bytes at 0x%x; make it with DeviceBuffer.of and slice"
                .formatted(text(count, type, address), memory.sizeBytes(), memory.address()));
      }
    }
  }

  /** All whole elements of {@code type} in {@code memory}, which {@code device} allocated. */
  public static DeviceBuffer of(DeviceAdaptor device, DeviceMemory memory, DataType type) {
    long count = memory.sizeBytes() / type.sizeBytes();
    return new DeviceBuffer(memory.address(), count, type, device, Optional.of(memory));
  }

  /** Memory that the program around this one keeps, by its address on {@code device}. */
  public static DeviceBuffer foreign(
      DeviceAdaptor device, long address, long count, DataType type) {
    return new DeviceBuffer(address, count, type, device, Optional.empty());
  }

  /** No elements: for a side that an operation does not use on this rank. */
  public static DeviceBuffer none(DeviceAdaptor device, DataType type) {
    return foreign(device, 0, 0, type);
  }

  /**
   * {@code elements} of these, from number {@code from} on.
   *
   * @throws UsageException if they are not all inside
   */
  public DeviceBuffer slice(long from, long elements) {
    if (from < 0 || elements < 0 || from > count - elements) {
      throw new UsageException(
          "[%s, +%s) is outside a buffer of %s".formatted(from, elements, this));
    }
    return new DeviceBuffer(address + from * type.sizeBytes(), elements, type, device, owner);
  }

  /** Number of bytes. */
  public long sizeBytes() {
    return sizeBytes(count, type);
  }

  private static long sizeBytes(long count, DataType type) {
    if (count < 0) {
      throw new UsageException("a count is not negative: " + count);
    }
    if (count > Long.MAX_VALUE / type.sizeBytes()) {
      throw new UsageException(
          "a buffer of %s %s would be more than 2⁶³ bytes; look at the counts"
              .formatted(count, type.text()));
    }
    return count * type.sizeBytes();
  }

  private static String text(long count, DataType type, long address) {
    return count + " " + type.text() + " at 0x" + Long.toHexString(address);
  }

  /** For people: {@code 8 f32 at 0x7f0000}. */
  @Override
  public String toString() {
    return text(count, type, address);
  }
}
