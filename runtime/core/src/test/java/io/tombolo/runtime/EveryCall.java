// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Makes every operation once in a few sizes, and checks all of the output against arithmetic. */
final class EveryCall {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int[] COUNTS = {0, 1, 5, 1003};
  private static final int POISON = 119; // above all results

  private final Communicator all;
  private final DataType type;
  private final int rank;
  private final int size;

  EveryCall(Communicator all) {
    this(all, DataType.I32);
  }

  EveryCall(Communicator all, DataType type) {
    this.all = all;
    this.type = type;
    this.rank = all.rank();
    this.size = all.size();
  }

  private interface Call {
    Work make(DeviceBuffer send, DeviceBuffer receive, Stream stream);
  }

  void run() {
    for (int count : COUNTS) {
      run(count, IntStream.range(0, size).toArray());
    }
  }

  /** Every operation once: of {@code count} elements, with each of {@code roots}. */
  void run(int count, int... roots) {
    carry(count, roots);
    reductions(count);
    barrier();
  }

  /** Those that need no stage where a device is reached, and combines. */
  void carry(int count, int... roots) {
    for (int root : roots) {
      vectors(count, root);
      Layout even = new Layout.Even(count);
      rooted(even, root);
      rooted(uneven(count), root);
    }
    blocks(new Layout.Even(count));
    blocks(uneven(count));
    allToAll(count);
    messages(count);
  }

  /** Everyone sends to the next rank; first those that receive first, then all in one batch. */
  private void messages(int count) {
    int next = (rank + 1) % size;
    int before = (rank + size - 1) % size;
    ring(
        "batch",
        count,
        next,
        before,
        (first, second, stream) -> all.exchange(List.of(first, second), stream));
    if (size > 1) {
      ring("receive and send", count, next, before, this::receiveThenSend);
    }
    ring(
        "message to itself",
        count,
        rank,
        rank,
        (first, second, stream) -> all.exchange(List.of(second, first), stream));
  }

  private interface Exchange {
    Work make(Message send, Message receive, Stream stream);
  }

  private void ring(String what, int count, int to, int from, Exchange exchange) {
    check(
        what,
        count,
        i -> given(rank, i),
        count,
        i -> given(from, i),
        (in, out, stream) ->
            exchange.make(Message.send(in, to), Message.receive(out, from), stream));
  }

  /**
   * All receive before they send: it ends only because one waits for no other. So no stream may
   * wait in whose place its caller would have to.
   */
  private Work receiveThenSend(Message send, Message receive, Stream stream) {
    CallOptions options =
        all.isHostOrdered(stream) ? CallOptions.STANDARD.withoutStreamWait() : CallOptions.STANDARD;
    Work received = all.exchange(List.of(receive), options, stream);
    try (Stream other = all.device().newStream()) {
      all.send(send.buffer(), send.peer(), other).await(LIMIT);
    }
    return received;
  }

  private void vectors(int count, int root) {
    boolean mine = rank == root;
    check(
        "reduce",
        count,
        i -> given(rank, i),
        mine ? count : 0,
        i -> sum(i),
        (in, out, stream) -> all.reduce(in, out, Reduction.sum(), root, stream));
    check(
        "broadcast",
        mine ? count : 0,
        i -> given(root, i),
        count,
        i -> given(root, i),
        (in, out, stream) -> all.broadcast(in, out, root, stream));
  }

  private void rooted(Layout blocks, int root) {
    int extent = (int) blocks.extent(size);
    int own = (int) blocks.count(rank);
    boolean mine = rank == root;
    check(
        "gather",
        own,
        i -> given(rank, i),
        mine ? extent : 0,
        i -> inBlocks(blocks, i),
        (in, out, stream) -> all.gather(in, out, blocks, root, stream));
    check(
        "scatter",
        mine ? extent : 0,
        i -> inBlocks(blocks, i),
        own,
        i -> given(rank, i),
        (in, out, stream) -> all.scatter(in, out, blocks, root, stream));
  }

  private void blocks(Layout blocks) {
    int extent = (int) blocks.extent(size);
    int own = (int) blocks.count(rank);
    check(
        "all_gather",
        own,
        i -> given(rank, i),
        extent,
        i -> inBlocks(blocks, i),
        (in, out, stream) -> all.allGather(in, out, blocks, stream));
    check(
        "reduce_scatter",
        extent,
        i -> given(rank, i),
        own,
        i -> sum((int) blocks.offset(rank) + i),
        (in, out, stream) -> all.reduceScatter(in, out, blocks, Reduction.sum(), stream));
  }

  private void allToAll(int count) {
    check(
        "all_to_all",
        count * size,
        i -> given(rank, i),
        count * size,
        i -> given(i / count, rank * count + i % count),
        (in, out, stream) -> all.allToAll(in, out, stream));
    int[] sent = IntStream.range(0, size).map(to -> pair(count, rank, to)).toArray();
    int[] received = IntStream.range(0, size).map(from -> pair(count, from, rank)).toArray();
    Layout.Pairwise pairs = new Layout.Pairwise(packed(sent), packed(received));
    check(
        "all_to_all_v",
        IntStream.of(sent).sum(),
        i -> pairValue(rank, i),
        IntStream.of(received).sum(),
        i -> {
          int from = owner(pairs.receives(), i);
          int before = IntStream.range(0, rank).map(to -> pair(count, from, to)).sum();
          return pairValue(from, before + i - (int) pairs.receives().offset(from));
        },
        (in, out, stream) -> all.allToAll(in, out, pairs, stream));
  }

  private void reductions(int count) {
    check(
        "max",
        count,
        i -> given(rank, i),
        count,
        i -> IntStream.range(0, size).mapToDouble(each -> given(each, i)).max().orElse(0),
        (in, out, stream) -> all.allReduce(in, out, Reduction.max(), stream));
    check(
        "pre-multiplied",
        count,
        i -> given(rank, i),
        count,
        i -> 3 * sum(i),
        (in, out, stream) -> all.allReduce(in, out, new Reduction.PreMultiplied(3), stream));
    Reduction last =
        new Reduction.UserDefined("last", (left, right, into, type) -> into.put(right));
    check(
        "user-defined",
        count,
        i -> given(rank, i),
        count,
        i -> given(size - 1, i),
        (in, out, stream) -> all.allReduce(in, out, last, stream));
  }

  private void barrier() {
    try (Stream stream = all.device().newStream()) {
      all.barrier(stream).await(LIMIT);
    }
  }

  private void check(
      String what,
      int inputs,
      IntToDoubleFunction given,
      int outputs,
      IntToDoubleFunction wanted,
      Call call) {
    try (Stream stream = all.device().newStream();
        DeviceArray input = array(stream, inputs);
        DeviceArray output = array(stream, outputs)) {
      fill(input, inputs, given);
      fill(output, outputs, i -> POISON);
      call.make(input.buffer(type, inputs), output.buffer(type, outputs), stream).await(LIMIT);
      output.download();
      expect(what, output.bytes(), outputs, wanted);
      input.download();
      expect("input of " + what, input.bytes(), inputs, given);
    }
  }

  private DeviceArray array(Stream stream, int elements) {
    return new DeviceArray(all.device(), stream, type.sizeBytes() * Math.max(1, elements));
  }

  private void fill(DeviceArray array, int count, IntToDoubleFunction values) {
    for (int i = 0; i < count; i++) {
      Numbers.put(array.bytes(), type, i, (int) values.applyAsDouble(i));
    }
    array.upload();
  }

  private void expect(String what, ByteBuffer bytes, int count, IntToDoubleFunction wanted) {
    for (int i = 0; i < count; i++) {
      double found = Numbers.get(bytes, type, i);
      double right = wanted.applyAsDouble(i);
      if (found != right) {
        throw new IllegalStateException(
            "rank %d of %d, %s of %d %s: element %d is %s, not %s"
                .formatted(rank, size, what, count, type.text(), i, found, right));
      }
    }
  }

  private double sum(int index) {
    return IntStream.range(0, size).mapToDouble(each -> given(each, index)).sum();
  }

  /** So small that three times the sum of a small job is exact in every type. */
  private static double given(int rank, int index) {
    return 1 + (rank + 2 * (index % 7)) % 7;
  }

  private static double pairValue(int from, int index) {
    return (17 * from + index) % 101;
  }

  /** Element {@code index} of a buffer that holds everyone's block. */
  private double inBlocks(Layout blocks, int index) {
    int owner = owner(blocks, index);
    return given(owner, index - (int) blocks.offset(owner));
  }

  private int owner(Layout blocks, int index) {
    return IntStream.range(0, size)
        .filter(r -> blocks.offset(r) <= index && index < blocks.offset(r) + blocks.count(r))
        .findFirst()
        .orElseThrow();
  }

  private Layout.Uneven uneven(int count) {
    return packed(IntStream.range(0, size).map(r -> r % 3 == 1 ? 0 : count + r).toArray());
  }

  private static Layout.Uneven packed(int[] counts) {
    return Layout.Uneven.packed(IntStream.of(counts).asLongStream().toArray());
  }

  private static int pair(int count, int from, int to) {
    return (from + 2 * to) % 3 == 0 ? 0 : count / 2 + from;
  }
}
