// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.group.GroupWork;
import io.tombolo.runtime.group.ProcessGroup;
import io.tombolo.runtime.group.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Device memory with tensors here and there, and what all of it must be after a call: also inputs,
 * and what lies between the tensors.
 */
final class Scene implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int WORDS = 1 << 15;
  private static final int GAP = 3;
  private static final int POISON = -7;

  private final ProcessGroup group;
  private final Stream stream;
  private final DeviceArray memory;
  private final int[] before = new int[WORDS];
  private final int[] after = new int[WORDS];
  private int next;

  Scene(ProcessGroup group) {
    DeviceAdaptor device = group.communicator().device();
    this.group = group;
    this.stream = device.newStream();
    this.memory = new DeviceArray(device, stream, WORDS * Integer.BYTES);
    Arrays.fill(before, POISON);
    Arrays.fill(after, POISON);
  }

  /** Has {@code play} act {@code what} on a scene of its own; what it throws says so. */
  static void play(ProcessGroup group, String what, Consumer<Scene> play) {
    try (Scene scene = new Scene(group)) {
      play.accept(scene);
    } catch (RuntimeException e) {
      throw new IllegalStateException("rank " + group.rank() + ", " + what, e);
    }
  }

  static void require(boolean right, String what) {
    if (!right) {
      throw new IllegalStateException("wanted: " + what);
    }
  }

  Stream stream() {
    return stream;
  }

  /** A tensor of {@code count} elements that the call may write. */
  Tensor output(int count) {
    return input(count, i -> POISON);
  }

  /** A tensor that holds {@code values}. */
  Tensor input(int count, IntUnaryOperator values) {
    long address = memory.address() + (long) next * Integer.BYTES;
    long handle = stream.nativeHandle(); // the host's streams have none
    Tensor tensor =
        handle == 0
            ? new Tensor(address, count, DataType.I32, stream)
            : group.tensor(address, count, DataType.I32, handle);
    for (int i = 0; i < count; i++) {
      before[next + i] = values.applyAsInt(i);
      after[next + i] = before[next + i];
    }
    next += count + GAP;
    return tensor;
  }

  /** One tensor for each rank, the last first in memory. */
  List<Tensor> list(int ranks, IntUnaryOperator count, Values values) {
    Tensor[] list = new Tensor[ranks];
    for (int rank = ranks - 1; rank >= 0; rank--) {
      int owner = rank;
      list[rank] = input(count.applyAsInt(rank), i -> values.of(owner, i));
    }
    return List.of(list);
  }

  List<Tensor> outputs(int ranks, IntUnaryOperator count) {
    return list(ranks, count, (rank, i) -> POISON);
  }

  /** Element {@code index} of a rank's tensor. */
  interface Values {
    int of(int rank, int index);
  }

  /** The call will write {@code values} to {@code tensor}. */
  void expect(Tensor tensor, IntUnaryOperator values) {
    int from = (int) (tensor.address() - memory.address()) / Integer.BYTES;
    for (int i = 0; i < tensor.count(); i++) {
      after[from + i] = values.applyAsInt(i);
    }
  }

  void expect(List<Tensor> tensors, Values values) {
    IntStream.range(0, tensors.size())
        .forEach(rank -> expect(tensors.get(rank), i -> values.of(rank, i)));
  }

  /** Makes {@code call}, and looks at all of the memory afterwards. */
  void check(String what, Supplier<GroupWork> call) {
    for (int i = 0; i < WORDS; i++) {
      memory.bytes().putInt(i * Integer.BYTES, before[i]);
    }
    memory.upload();
    GroupWork work = call.get();
    work.await(LIMIT);
    if (!work.isSuccess() || !work.buffersReleased()) {
      throw new IllegalStateException(what + " has not ended well");
    }
    memory.download();
    for (int i = 0; i < WORDS; i++) {
      int found = memory.bytes().getInt(i * Integer.BYTES);
      if (found != after[i]) {
        throw new IllegalStateException(
            "rank %d, %s: word %d is %d, not %d; it was %d"
                .formatted(group.rank(), what, i, found, after[i], before[i]));
      }
    }
  }

  @Override
  public void close() {
    memory.close();
    stream.close();
  }
}
