// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.StridedPart;
import io.tombolo.store.value.StridedTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Reads C's arrays of {@code tombolo_tensor} and {@code tombolo_part}; {@code volumes.c} asserts
 * where their members are.
 */
final class NativeTensors {
  /** Of a {@code tombolo_tensor}: name, data, shape, type, dimensions. */
  private static final int TENSOR_BYTES = 32;

  private static final int DATA = 8;
  private static final int SHAPE = 16;
  private static final int TYPE = 24;
  private static final int DIMENSIONS = 28;

  /** Of a {@code tombolo_part}: what is held, where that begins, the shape of the whole. */
  private static final int PART_BYTES = 48;

  private static final int FROM = 32;
  private static final int WHOLE = 40;

  private NativeTensors() {}

  /** What the tensors at {@code address} are, by their names. */
  static Map<String, TensorSpec> specs(String[] names, long address) {
    return each(names, address, TENSOR_BYTES, NativeTensors::spec);
  }

  /** The tensors at {@code address}, in the caller's memory. */
  static Map<String, HostTensor> tensors(String[] names, long address) {
    return each(names, address, TENSOR_BYTES, NativeTensors::tensor);
  }

  /**
   * The checksums that are known. At {@code address} is for each tensor the address of its own, or
   * 0; if {@code address} is 0, none is known.
   */
  static Map<String, Integer> checksums(String[] names, long address) {
    Map<String, Integer> known = new LinkedHashMap<>();
    for (int index = 0; index < names.length && address != 0; index++) {
      long checksum = pointer(address + (long) index * Long.BYTES);
      if (checksum != 0) {
        known.put(names[index], NativeMemory.viewOf(checksum, Integer.BYTES).getInt());
      }
    }
    return known;
  }

  /** The parts of tensors at {@code address}, likewise. */
  static Map<String, TensorPart> parts(String[] names, long address) {
    return each(names, address, PART_BYTES, NativeTensors::part);
  }

  /**
   * The parts at {@code address}, where they lie. At {@code strides} is for each the address of its
   * strides; if one of these addresses is 0, it is row-major.
   */
  static Map<String, StridedPart> stridedParts(String[] names, long address, long strides) {
    return each(
        names,
        address,
        PART_BYTES,
        part -> {
          long index = (part - address) / PART_BYTES;
          return stridedPart(part, strides == 0 ? 0 : pointer(strides + index * Long.BYTES));
        });
  }

  /** What the parts at {@code address} are, without their bytes. */
  static Map<String, PartSpec> partSpecs(String[] names, long address) {
    return each(names, address, PART_BYTES, NativeTensors::partSpec);
  }

  /** Says where the {@code index}th part of those at {@code address} lies. */
  static void placePart(long address, int index, long data) {
    NativeMemory.viewOf(address + (long) index * PART_BYTES, PART_BYTES).putLong(DATA, data);
  }

  /** Says where the {@code index}th tensor of those at {@code address} lies. */
  static void place(long address, int index, long data) {
    NativeMemory.viewOf(address + (long) index * TENSOR_BYTES, TENSOR_BYTES).putLong(DATA, data);
  }

  /** {@code count} numbers at {@code address}. */
  static long[] numbers(long address, int count) {
    if (count < 0 || count > TensorSpec.MAX_DIMENSIONS || (count > 0 && address == 0)) {
      throw new UsageException(
          "%s dimensions at %s; a tensor has 0 to %s, and their lengths are not at NULL"
              .formatted(count, address, TensorSpec.MAX_DIMENSIONS));
    }
    long[] numbers = new long[count];
    if (count > 0) {
      NativeMemory.viewOf(address, count * Long.BYTES).asLongBuffer().get(numbers);
    }
    return numbers;
  }

  private static <T> Map<String, T> each(
      String[] names, long address, long stride, LongFunction<T> read) {
    Map<String, T> all = new LinkedHashMap<>();
    for (int index = 0; index < names.length; index++) {
      if (all.put(names[index], read.apply(address + index * stride)) != null) {
        throw new UsageException("two tensors are called '" + names[index] + "'");
      }
    }
    return all;
  }

  private static TensorSpec spec(long address) {
    ByteBuffer tensor = NativeMemory.viewOf(address, TENSOR_BYTES);
    long[] shape = numbers(tensor.getLong(SHAPE), tensor.getInt(DIMENSIONS));
    return TensorSpec.of(Operators.type(tensor.getInt(TYPE)), shape);
  }

  private static HostTensor tensor(long address) {
    TensorSpec spec = spec(address);
    long data = NativeMemory.viewOf(address, TENSOR_BYTES).getLong(DATA);
    return new HostTensor(spec, NativeMemory.borrowed(data, spec.sizeBytes()), 0);
  }

  private static TensorPart part(long address) {
    PartSpec spec = partSpec(address);
    return new TensorPart(spec.whole(), spec.box(), tensor(address));
  }

  private static StridedPart stridedPart(long address, long strides) {
    PartSpec spec = partSpec(address);
    TensorSpec held = spec.held();
    StridedTensor tensor =
        StridedTensor.at(
            pointer(address + DATA),
            held,
            strides == 0
                ? StridedTensor.rowMajor(held)
                : ImmutableList.copyOf(Longs.asList(numbers(strides, held.shape().size()))));
    return new StridedPart(spec.whole(), spec.box(), tensor);
  }

  private static long pointer(long address) {
    return NativeMemory.viewOf(address, Long.BYTES).getLong();
  }

  private static PartSpec partSpec(long address) {
    TensorSpec held = spec(address);
    ByteBuffer part = NativeMemory.viewOf(address, PART_BYTES);
    int dimensions = held.shape().size();
    long[] from = numbers(part.getLong(FROM), dimensions);
    long[] whole = numbers(part.getLong(WHOLE), dimensions);
    long[] to = from.clone();
    for (int dim = 0; dim < dimensions; dim++) {
      to[dim] = Math.addExact(from[dim], held.shape().get(dim));
    }
    return new PartSpec(TensorSpec.of(held.type(), whole), Box.between(from, to));
  }

  /** Writes a shape to {@code address}, which has room for that of any tensor. */
  static void writeShape(long address, TensorSpec spec) {
    long[] shape = Longs.toArray(spec.shape());
    if (shape.length > 0) {
      NativeMemory.viewOf(address, shape.length * Long.BYTES).asLongBuffer().put(shape);
    }
  }
}
