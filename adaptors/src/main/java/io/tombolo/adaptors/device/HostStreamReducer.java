// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/** The host's reductions as work of a {@link HostStream}. */
final class HostStreamReducer implements DeviceReducer {
  private final HostReducer reducer = HostReducer.best();

  @Override
  public void reduceAsync(
      ReduceOp op, DataType type, long destination, long a, long b, long count, Stream stream) {
    op.requireAppliesTo(type);
    HostDevice.streamOf(stream)
        .enqueueMemoryWork(
            3 * count * type.sizeBytes(), () -> reducer.reduce(op, type, destination, a, b, count));
  }

  /** Nothing to do: the kernels are this program's own. */
  @Override
  public void close() {}
}
