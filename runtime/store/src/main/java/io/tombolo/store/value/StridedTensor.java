// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;

/**
 * A tensor where a program has it, in host memory outside the Java heap. Its elements may lie apart
 * and in another order, as those of a transposed tensor do, or of a part of a larger one. The
 * memory is its owner's, who keeps it open.
 *
 * @param spec what it is
 * @param memory what it lies in
 * @param offset where in {@code memory} its first element is, in bytes
 * @param strides for each dimension, how many elements lie between one index and the next; 0 or
 *     more
 */
public record StridedTensor(
    TensorSpec spec, NativeMemory memory, long offset, ImmutableList<Long> strides) {
  /**
   * Checks the strides, and that the tensor is inside the memory.
   *
   * @throws UsageException if there is not one stride for each dimension, or they make no sense
   * @throws IndexOutOfBoundsException if the tensor is not all inside the memory
   */
  public StridedTensor {
    memory.address(offset, extentBytes(spec, strides));
  }

  /** A tensor as it lies, row-major and without gaps. */
  public static StridedTensor of(HostTensor tensor) {
    return new StridedTensor(
        tensor.spec(), tensor.memory(), tensor.offset(), rowMajor(tensor.spec()));
  }

  /** A tensor whose first element is at a host address, which its owner keeps valid. */
  public static StridedTensor at(long address, TensorSpec spec, ImmutableList<Long> strides) {
    NativeMemory memory = NativeMemory.borrowed(address, extentBytes(spec, strides));
    return new StridedTensor(spec, memory, 0, strides);
  }

  /** The strides of a tensor that is row-major and without gaps. */
  public static ImmutableList<Long> rowMajor(TensorSpec spec) {
    long[] strides = new long[spec.shape().size()];
    long next = spec.sizeBytes() == 0 ? 0 : 1; // the lengths of what is empty have no bound
    for (int dim = strides.length - 1; dim >= 0; dim--) {
      strides[dim] = next;
      next *= spec.shape().get(dim);
    }
    return ImmutableList.copyOf(Longs.asList(strides));
  }

  /** Copies {@code count} elements from the {@code first} on, in row-major order, to an address. */
  public void copy(long first, long count, long target) {
    int size = spec.type().sizeBytes();
    long run = runElements();
    for (long done = 0; done < count; ) {
      long length = Math.min(count - done, run - (first + done) % run);
      long from = memory.address(offset + elementAt(first + done) * size, length * size);
      NativeMemory.copy(target + done * size, from, length * size);
      done += length;
    }
  }

  /** How many elements always lie side by side, in order. */
  private long runElements() {
    long run = 1;
    for (int dim = strides.size() - 1; dim >= 0; dim--) {
      long length = spec.shape().get(dim);
      if (length != 1 && strides.get(dim) != run) {
        return run;
      }
      run *= length;
    }
    return run;
  }

  /** Where an element lies, in elements from the first. */
  private long elementAt(long index) {
    long rest = index;
    long at = 0;
    for (int dim = strides.size() - 1; dim >= 0; dim--) {
      long length = spec.shape().get(dim);
      at += rest % length * strides.get(dim);
      rest /= length;
    }
    return at;
  }

  private static long extentBytes(TensorSpec spec, ImmutableList<Long> strides) {
    if (strides.size() != spec.shape().size() || strides.stream().anyMatch(stride -> stride < 0)) {
      throw new UsageException(
          "strides %s of %s; give one of 0 or more for each dimension".formatted(strides, spec));
    }
    if (spec.sizeBytes() == 0) {
      return 0;
    }
    try {
      long last = 0;
      for (int dim = 0; dim < strides.size(); dim++) {
        long stride = strides.get(dim);
        last = Math.addExact(last, Math.multiplyExact(spec.shape().get(dim) - 1, stride));
      }
      return Math.multiplyExact(Math.addExact(last, 1), spec.type().sizeBytes());
    } catch (ArithmeticException e) {
      throw new UsageException(
          "strides %s of %s reach beyond all memory".formatted(strides, spec), e);
    }
  }
}
