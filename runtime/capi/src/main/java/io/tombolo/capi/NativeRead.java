// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What C wants of a snapshot, as a {@code tombolo_read} says it; {@code snapshots.c} asserts where
 * its members are.
 *
 * @param index of the tensor, as C counts them
 * @param from where the part begins, in each dimension; 0 if all of the tensor is wanted
 * @param to where it ends
 * @param target what it is copied to
 */
record NativeRead(int index, long from, long to, long target) {
  private static final int BYTES = 32;
  private static final int FROM = 8;
  private static final int TO = 16;
  private static final int TARGET = 24;

  /** Those of the array at {@code address}. */
  static List<NativeRead> all(long address, long count) {
    return LongStream.range(0, count).mapToObj(index -> at(address + index * BYTES)).toList();
  }

  private static NativeRead at(long address) {
    ByteBuffer read = NativeMemory.viewOf(address, BYTES);
    return new NativeRead(
        read.getInt(0), read.getLong(FROM), read.getLong(TO), read.getLong(TARGET));
  }

  /** It, of a tensor that is called so and is {@code whole}. */
  WantedPart of(String name, TensorSpec whole) {
    int dimensions = whole.shape().size();
    Box part =
        from == 0
            ? whole.whole()
            : Box.between(
                NativeTensors.numbers(from, dimensions), NativeTensors.numbers(to, dimensions));
    TensorSpec wanted = whole.part(part);
    NativeMemory memory = NativeMemory.borrowed(target, wanted.sizeBytes());
    return new WantedPart(name, part, new HostTensor(wanted, memory, 0));
  }
}
