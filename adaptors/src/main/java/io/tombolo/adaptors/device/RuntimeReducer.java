package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/** Kernels that were compiled for a {@link RuntimeDevice}, and loaded into it. */
final class RuntimeReducer implements DeviceReducer {
  private final long module;

  RuntimeReducer(long device, byte[] code) {
    this.module = DeviceLibrary.loadModule(device, code);
  }

  @Override
  public void reduceAsync(
      ReduceOp op, DataType type, long destination, long a, long b, long count, Stream stream) {
    op.requireAppliesTo(type);
    checkArgument(count >= 0 && count <= Long.MAX_VALUE / type.sizeBytes(), "%s elements", count);
    if (count > 0) {
      DeviceLibrary.launch(
          RuntimeStream.handleOf(stream),
          module,
          KernelCompiler.nameOf(op, type),
          destination,
          a,
          b,
          count);
      RuntimeStream.queued(stream);
    }
  }

  @Override
  public void close() {
    DeviceLibrary.closeModule(module);
  }
}
