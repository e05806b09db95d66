// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Sums of floats that have to be rounded, so that their last bits tell in which order they were
 * added. Every rank must hold the bits of the documented order: inside a cluster as the emulated
 * libraries add, member by member; then cluster by cluster, or by doubling neighbour with
 * neighbour; the host library adds rank by rank. Each addition rounds once. A vendor's own library
 * has an order of its own; there all ranks must hold the same bits, whichever.
 */
final class RoundedSums {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final DataType[] TYPES = {DataType.F32, DataType.F16, DataType.BF16};

  /** Few enough for the direct way, and enough for pieces. */
  private static final int[] COUNTS = {7, 100_003};

  private final Communicator all;
  private final int size;

  RoundedSums(Communicator all) {
    this.all = all;
    this.size = all.size();
  }

  private interface Call {
    Work make(DeviceBuffer send, DeviceBuffer receive, Stream stream);
  }

  void run() {
    for (DataType type : TYPES) {
      OrderedSums sums = new OrderedSums(all.context(), type, COUNTS[1] * size);
      int[] given = sums.given(all.rank());
      int[] wanted = isFlat() ? sums.inRankOrder() : sums.inOrder();
      for (int count : COUNTS) {
        allReduce(type, given, count, doubles(type, count) ? doubled(type, count) : wanted);
        if (isOrderKnown()) {
          rooted(type, given, count, wanted);
          scattered(type, given, count, wanted);
        }
      }
    }
  }

  private boolean doubles(DataType type, int count) {
    CollectiveCall call = CollectiveCall.allReduce(count, type, ReduceOp.SUM, false);
    Planner planner = new Planner(all.context());
    return !planner.isFlat(call) && planner.algorithm(call) == Algorithm.DOUBLING;
  }

  private int[] doubled(DataType type, int count) {
    return new OrderedSums(all.context(), type, count).doubled();
  }

  private void allReduce(DataType type, int[] given, int count, int[] wanted) {
    int[] sums =
        result(
            type,
            given,
            count,
            count,
            (in, out, stream) -> all.allReduce(in, out, Reduction.sum(), stream));
    if (isOrderKnown()) {
      expect("all_reduce", type, wanted, 0, sums);
    }
    int[] everyones =
        result(
            type, sums, count, count * size, (in, out, stream) -> all.allGather(in, out, stream));
    for (int rank = 0; rank < size; rank++) {
      expect("all_reduce of rank " + rank, type, everyones, rank * count, sums);
    }
  }

  private void rooted(DataType type, int[] given, int count, int[] wanted) {
    int root = size - 1;
    boolean mine = all.rank() == root;
    int[] found =
        result(
            type,
            given,
            count,
            mine ? count : 0,
            (in, out, stream) -> all.reduce(in, out, Reduction.sum(), root, stream));
    expect("reduce", type, wanted, 0, found);
  }

  private void scattered(DataType type, int[] given, int count, int[] wanted) {
    int[] found =
        result(
            type,
            given,
            count * size,
            count,
            (in, out, stream) -> all.reduceScatter(in, out, Reduction.sum(), stream));
    expect("reduce_scatter", type, wanted, all.rank() * count, found);
  }

  private boolean isOrderKnown() {
    return isFlat()
        || all.context().clustering().clusters().stream()
            .allMatch(cluster -> cluster.vendor().startsWith("emu-"));
  }

  private boolean isFlat() {
    return new Planner(all.context())
        .isFlat(CollectiveCall.allReduce(1, DataType.F32, ReduceOp.SUM, false));
  }

  /**
   * The first {@code outputs} of what a call makes of the first {@code inputs} of {@code given}.
   */
  private int[] result(DataType type, int[] given, int inputs, int outputs, Call call) {
    try (Stream stream = all.device().newStream();
        DeviceArray input = array(stream, type, inputs);
        DeviceArray output = array(stream, type, outputs)) {
      put(input.bytes(), type, given, inputs);
      input.upload();
      call.make(input.buffer(type, inputs), output.buffer(type, outputs), stream).await(LIMIT);
      output.download();
      return get(output.bytes(), type, outputs);
    }
  }

  private DeviceArray array(Stream stream, DataType type, int elements) {
    return new DeviceArray(all.device(), stream, type.sizeBytes() * Math.max(1, elements));
  }

  private static void put(ByteBuffer bytes, DataType type, int[] elements, int count) {
    for (int i = 0; i < count; i++) {
      if (type == DataType.F32) {
        bytes.putInt(elements[i]);
      } else {
        bytes.putShort((short) elements[i]);
      }
    }
  }

  private static int[] get(ByteBuffer bytes, DataType type, int count) {
    int[] elements = new int[count];
    for (int i = 0; i < count; i++) {
      elements[i] = type == DataType.F32 ? bytes.getInt() : Short.toUnsignedInt(bytes.getShort());
    }
    return elements;
  }

  private void expect(String what, DataType type, int[] wanted, int from, int[] found) {
    for (int i = 0; i < found.length; i++) {
      if (found[i] != wanted[from + i]) {
        throw new IllegalStateException(
            "rank %d of %d, %s of %s, seed %d: element %d is %x, not %x"
                .formatted(
                    all.rank(),
                    size,
                    what,
                    type.text(),
                    OrderedSums.SEED,
                    i,
                    found[i],
                    wanted[from + i]));
      }
    }
  }
}
