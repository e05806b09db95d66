// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.HashBasedTable;
import com.google.common.collect.Table;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/**
 * Kernels that were compiled for a {@link RuntimeDevice}, and loaded into it. All of them are
 * looked up at once: with CUDA's lazy loading the first look-up brings the code to the device,
 * which may wait for all of its work, and so for a stream that waits for whoever launches ("CUDA
 * C++ Programming Guide", Lazy Loading).
 */
final class RuntimeReducer implements DeviceReducer {
  private final long module;
  private final Table<ReduceOp, DataType, Long> kernels = HashBasedTable.create();

  RuntimeReducer(long device, byte[] code) {
    this.module = DeviceLibrary.loadModule(device, code);
    try {
      for (ReduceOp op : ReduceOp.values()) {
        for (DataType type : DataType.values()) {
          if (op.appliesTo(type)) {
            kernels.put(op, type, DeviceLibrary.kernel(module, KernelCompiler.nameOf(op, type)));
          }
        }
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public void reduceAsync(
      ReduceOp op, DataType type, long destination, long a, long b, long count, Stream stream) {
    op.requireAppliesTo(type);
    checkArgument(count >= 0 && count <= Long.MAX_VALUE / type.sizeBytes(), "%s elements", count);
    if (count > 0) {
      DeviceLibrary.launch(
          RuntimeStream.handleOf(stream), kernels.get(op, type), destination, a, b, count);
      RuntimeStream.queued(stream);
    }
  }

  @Override
  public void close() {
    kernels.values().forEach(DeviceLibrary::closeKernel);
    DeviceLibrary.closeModule(module);
  }
}
