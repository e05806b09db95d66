// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A rectangular part of a tensor: in each dimension the indices from one (included) to another
 * (not). A box without dimensions holds one element, as a scalar does. Immutable.
 */
public final class Box {
  private final long[] from;
  private final long[] to;

  private Box(long[] from, long[] to) {
    this.from = from;
    this.to = to;
  }

  /**
   * The whole of a tensor.
   *
   * @param shape the length of each dimension, 0 or more; 2⁶³ elements are too many
   */
  public static Box whole(long... shape) {
    return between(new long[shape.length], shape);
  }

  /** The indices from {@code from} to before {@code to}, in each dimension. */
  public static Box between(long[] from, long[] to) {
    checkArgument(from.length == to.length, "%s and %s dimensions", from.length, to.length);
    long elements = 1;
    for (int dim = 0; dim < from.length; dim++) {
      checkArgument(
          0 <= from[dim] && from[dim] <= to[dim],
          "dimension %s goes from %s to %s",
          dim,
          from[dim],
          to[dim]);
      elements = Math.multiplyExact(elements, to[dim] - from[dim]);
    }
    return new Box(from.clone(), to.clone());
  }

  /** The number of dimensions. */
  public int dimensions() {
    return from.length;
  }

  /** The first index in {@code dim}. */
  public long from(int dim) {
    return from[dim];
  }

  /** The index after the last in {@code dim}. */
  public long to(int dim) {
    return to[dim];
  }

  /** Indices in {@code dim}. */
  public long length(int dim) {
    return to[dim] - from[dim];
  }

  /** The length of each dimension. */
  public long[] shape() {
    return IntStream.range(0, from.length).mapToLong(this::length).toArray();
  }

  /** Elements in it. */
  public long elements() {
    return overlap(this);
  }

  /** Whether it has no elements. */
  public boolean isEmpty() {
    return elements() == 0;
  }

  /** Elements that are in both. Allocates nothing. */
  public long overlap(Box other) {
    long elements = 1;
    for (int dim = 0; dim < from.length; dim++) {
      long length = Math.min(to[dim], other.to[dim]) - Math.max(from[dim], other.from[dim]);
      if (length <= 0) {
        return 0;
      }
      elements *= length;
    }
    return elements;
  }

  /** Whether every element of {@code other} is in this. */
  public boolean contains(Box other) {
    return overlap(other) == other.elements();
  }

  /** The elements that are in both. They must overlap. */
  public Box intersect(Box other) {
    checkArgument(overlap(other) > 0, "%s and %s have nothing in common", this, other);
    long[] low = from.clone();
    long[] high = to.clone();
    for (int dim = 0; dim < low.length; dim++) {
      low[dim] = Math.max(low[dim], other.from[dim]);
      high[dim] = Math.min(high[dim], other.to[dim]);
    }
    return new Box(low, high);
  }

  /** This box with only the indices from {@code low} to before {@code high} of {@code dim}. */
  public Box cut(int dim, long low, long high) {
    long[] newFrom = from.clone();
    long[] newTo = to.clone();
    newFrom[dim] = low;
    newTo[dim] = high;
    return between(newFrom, newTo);
  }

  /** This box, with indices counted from the beginning of {@code outer}, which contains it. */
  public Box relativeTo(Box outer) {
    checkArgument(outer.contains(this), "%s is not all in %s", this, outer);
    long[] low = from.clone();
    long[] high = to.clone();
    for (int dim = 0; dim < low.length; dim++) {
      low[dim] -= outer.from[dim];
      high[dim] -= outer.from[dim];
    }
    return between(low, high);
  }

  /** The elements of this that are not in {@code other}, as disjoint boxes. */
  public List<Box> minus(Box other) {
    if (overlap(other) == 0) {
      return List.of(this);
    }
    List<Box> rest = new ArrayList<>();
    Box middle = this;
    for (int dim = 0; dim < from.length; dim++) {
      long low = Math.max(from[dim], other.from[dim]);
      long high = Math.min(to[dim], other.to[dim]);
      if (from[dim] < low) {
        rest.add(middle.cut(dim, from[dim], low));
      }
      if (high < to[dim]) {
        rest.add(middle.cut(dim, high, to[dim]));
      }
      middle = middle.cut(dim, low, high);
    }
    return rest;
  }

  /** The elements of this that are in none of {@code others}, as disjoint boxes that have some. */
  public List<Box> minusAll(List<Box> others) {
    List<Box> rest = List.of(this);
    for (Box other : others) {
      rest = rest.stream().flatMap(box -> box.minus(other).stream()).toList();
    }
    return rest.stream().filter(box -> !box.isEmpty()).toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Box box && Arrays.equals(from, box.from) && Arrays.equals(to, box.to);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
  }

  /** As Python writes slices: {@code [0:4, 2:6]}. */
  @Override
  public String toString() {
    return IntStream.range(0, from.length)
        .mapToObj(dim -> from[dim] + ":" + to[dim])
        .collect(Collectors.joining(", ", "[", "]"));
  }
}
