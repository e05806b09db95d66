// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.tensors.layout.Box;

/**
 * What a tensor is, without its bytes, which are row-major and without gaps.
 *
 * @param type of its elements
 * @param shape the length of each dimension, 0 or more; none for a scalar
 */
public record TensorSpec(DataType type, ImmutableList<Long> shape) {
  /** A tensor has at most so many dimensions: twice those of numpy 1. */
  public static final int MAX_DIMENSIONS = 64;

  /**
   * Checks the shape.
   *
   * @throws IllegalArgumentException if a dimension is negative, or there are too many
   * @throws ArithmeticException if its bytes do not fit 63 bits
   */
  public TensorSpec {
    checkArgument(
        shape.size() <= MAX_DIMENSIONS,
        "%s dimensions; a tensor has at most %s",
        shape.size(),
        MAX_DIMENSIONS);
    boolean empty = shape.contains(0L);
    long sizeBytes = type.sizeBytes();
    for (long length : shape) {
      checkArgument(length >= 0, "a dimension of %s indices in shape %s", length, shape);
      sizeBytes = empty ? 0 : Math.multiplyExact(sizeBytes, length);
    }
  }

  /** The tensor with these dimensions. */
  public static TensorSpec of(DataType type, long... shape) {
    return new TensorSpec(type, ImmutableList.copyOf(Longs.asList(shape)));
  }

  /** Whether {@code box} is a part of this tensor. */
  public boolean hasPart(Box box) {
    return box.dimensions() == shape.size() && whole().contains(box);
  }

  /**
   * This tensor's part {@code box}, as a tensor of its own; {@link UsageException} if it is none.
   */
  public TensorSpec part(Box box) {
    if (!hasPart(box)) {
      throw new UsageException("%s is not a part of %s".formatted(box, this));
    }
    return of(type, box.shape());
  }

  /** All its indices. */
  public Box whole() {
    return Box.whole(Longs.toArray(shape));
  }

  /** Bytes of all its elements. */
  public long sizeBytes() {
    return shape.stream().reduce((long) type.sizeBytes(), (a, b) -> a * b);
  }

  /** As on command lines: {@code f32[4096, 1024]}. */
  @Override
  public String toString() {
    return type.text() + shape;
  }
}
