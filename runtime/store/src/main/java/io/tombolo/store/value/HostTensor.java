// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;

/**
 * A tensor in host memory outside the Java heap, row-major and without gaps. The memory is its
 * owner's, who keeps it open, and does not write to it while a call uses it.
 *
 * @param spec what it is
 * @param memory what it lies in
 * @param offset where in {@code memory} it begins, in bytes
 */
public record HostTensor(TensorSpec spec, NativeMemory memory, long offset) {
  /** Checks that the tensor is inside the memory; {@link IndexOutOfBoundsException} if not. */
  public HostTensor {
    memory.address(offset, spec.sizeBytes());
  }

  /** A new tensor of zeros in a block of its own, {@link #memory}, which the caller closes. */
  public static HostTensor allocate(TensorSpec spec) {
    return new HostTensor(spec, NativeMemory.allocate(Math.max(1, spec.sizeBytes())), 0);
  }

  /** As {@link #allocate(TensorSpec)}. */
  public static HostTensor allocate(DataType type, long... shape) {
    return allocate(TensorSpec.of(type, shape));
  }

  /** The host address of byte {@code from}, after checking that {@code length} bytes follow. */
  public long address(long from, long length) {
    checkArgument(
        from >= 0 && length >= 0 && from <= spec.sizeBytes() - length,
        "[%s, +%s) is outside %s",
        from,
        length,
        spec);
    return memory.address(offset + from, length);
  }
}
