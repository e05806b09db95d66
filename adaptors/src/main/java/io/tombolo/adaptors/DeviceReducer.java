// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/**
 * Element-wise reductions by a device, with the bits of {@link
 * io.tombolo.adaptors.reduce.HostReducer}. Thread-safe; used before its device is closed.
 */
public interface DeviceReducer extends AutoCloseable {

  /**
   * Queues {@code destination[i] = a[i] op b[i]} for {@code count} elements of {@code type}. {@link
   * ReduceOp#AVG} adds: a partial average is a sum.
   *
   * @param destination an address that the device can write, a multiple of the element's size; it
   *     may be {@code a} or {@code b}, any other overlap gives undefined values
   * @throws io.tombolo.base.errors.UsageException if {@code op} does not {@linkplain
   *     ReduceOp#appliesTo apply} to {@code type}
   */
  void reduceAsync(
      ReduceOp op, DataType type, long destination, long a, long b, long count, Stream stream);

  /** Takes the kernels off the device, which must have finished with them. */
  @Override
  void close();
}
