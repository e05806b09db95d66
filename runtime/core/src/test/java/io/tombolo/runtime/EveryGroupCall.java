// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.group.GroupWork;
import io.tombolo.runtime.group.OpOptions;
import io.tombolo.runtime.group.ProcessGroup;
import io.tombolo.runtime.group.Tensor;
import io.tombolo.runtime.work.Activity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Makes every call of a process group, alone and coalesced. */
final class EveryGroupCall {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Long enough for every rank that comes at all, on a busy machine too. */
  private static final Duration TOO_LATE = Duration.ofSeconds(3);

  private static final int[] COUNTS = {0, 1, 5, 1003};
  private static final long[] NONE = {};
  private static final OpOptions.Plain PLAIN = OpOptions.Plain.STANDARD;
  private static final OpOptions.Reducing SUM = OpOptions.Reducing.by(ReduceOp.SUM);

  private final ProcessGroup group;
  private final int rank;
  private final int size;

  EveryGroupCall(ProcessGroup group) {
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
  }

  void run() {
    for (int count : COUNTS) {
      for (int root = 0; root < size; root++) {
        rooted(count, root);
      }
      everyone(count);
      messages(count);
    }
    coalesced();
    barriers();
    streamGoesOn();
    new EveryGroupMistake(group).run();
    scene("after all mistakes", this::sum);
    missing();
  }

  private void scene(String what, Consumer<Scene> play) {
    Scene.play(group, what, play);
  }

  private void sum(Scene scene) {
    Tensor tensor = scene.input(7, i -> given(rank, i));
    scene.expect(tensor, this::total);
    scene.check("allreduce", () -> group.allreduce(tensor, SUM));
  }

  private void rooted(int count, int root) {
    boolean mine = rank == root;
    OpOptions.Rooted at = OpOptions.Rooted.at(root);
    scene(
        "broadcast",
        scene -> {
          Tensor tensor = scene.input(count, i -> given(rank, i));
          scene.expect(tensor, i -> given(root, i));
          scene.check("broadcast", () -> group.broadcast(tensor, at));
        });
    scene(
        "reduce",
        scene -> {
          Tensor tensor = scene.input(count, i -> given(rank, i));
          scene.expect(tensor, i -> mine ? total(i) : given(rank, i));
          OpOptions.RootedReducing sum = OpOptions.RootedReducing.by(ReduceOp.SUM, root);
          scene.check("reduce", () -> group.reduce(tensor, sum));
        });
    scene(
        "gather",
        scene -> {
          Tensor input = scene.input(count, i -> given(rank, i));
          List<Tensor> outputs = mine ? scene.outputs(size, each -> count) : List.of();
          scene.expect(outputs, EveryGroupCall::given);
          scene.check("gather", () -> group.gather(outputs, input, at));
        });
    scene(
        "scatter",
        scene -> {
          Tensor output = scene.output(count);
          List<Tensor> inputs =
              mine ? scene.list(size, each -> count, EveryGroupCall::given) : List.of();
          scene.expect(output, i -> given(rank, i));
          scene.check("scatter", () -> group.scatter(output, inputs, at));
        });
  }

  private void everyone(int count) {
    scene("allreduce", this::sum);
    scene(
        "allgather",
        scene -> {
          List<Tensor> outputs = scene.outputs(size, each -> count + each);
          Tensor input = scene.input(count + rank, i -> given(rank, i));
          scene.expect(outputs, EveryGroupCall::given);
          scene.check("allgather", () -> group.allgather(outputs, input, PLAIN));
        });
    scene(
        "allgatherIntoTensor",
        scene -> {
          Tensor output = scene.output(size * count);
          Tensor input = scene.input(count, i -> given(rank, i));
          scene.expect(output, i -> given(i / count, i % count));
          scene.check("into", () -> group.allgatherIntoTensor(output, input, PLAIN));
        });
    scene(
        "reduceScatter",
        scene -> {
          List<Tensor> inputs = scene.list(size, each -> count + each, this::block);
          Tensor output = scene.output(count + rank);
          scene.expect(output, i -> blocks(rank, i));
          scene.check("list", () -> group.reduceScatter(output, inputs, SUM));
        });
    scene(
        "reduceScatterTensor",
        scene -> {
          Tensor input = scene.input(size * count, i -> block(i / count, i % count));
          Tensor output = scene.output(count);
          scene.expect(output, i -> blocks(rank, i));
          scene.check("tensor", () -> group.reduceScatterTensor(output, input, SUM));
        });
    allToAll(count);
  }

  private void allToAll(int count) {
    scene(
        "alltoallBase",
        scene -> {
          Tensor input = scene.input(size * count, i -> block(i / count, i % count));
          Tensor output = scene.output(size * count);
          scene.expect(output, i -> from(i / count, i % count));
          scene.check("even", () -> group.alltoallBase(output, input, NONE, NONE, PLAIN));
        });
    scene(
        "alltoall",
        scene -> {
          List<Tensor> inputs = scene.list(size, to -> count + to, this::block);
          List<Tensor> outputs = scene.outputs(size, from -> count + rank);
          scene.expect(outputs, this::from);
          scene.check("list", () -> group.alltoall(outputs, inputs, PLAIN));
        });
    scene(
        "alltoallBase with splits",
        scene -> {
          long[] in = IntStream.range(0, size).mapToLong(to -> 2 + to).toArray();
          long[] out = IntStream.range(0, size).mapToLong(from -> 2 + rank).toArray();
          Tensor input = scene.input((int) LongStream.of(in).sum(), i -> rank);
          Tensor output = scene.output(size * (2 + rank));
          scene.expect(output, i -> i / (2 + rank));
          scene.check("uneven", () -> group.alltoallBase(output, input, out, in, PLAIN));
        });
  }

  private void messages(int count) {
    int next = (rank + 1) % size;
    int before = (rank + size - 1) % size;
    scene(
        "batch of messages",
        scene -> {
          Tensor sent = scene.input(count, i -> given(rank, i));
          Tensor received = scene.output(count);
          scene.expect(received, i -> given(before, i));
          scene.check(
              "ring",
              () -> {
                group.startCoalescing();
                GroupWork work = group.send(sent, next, 0, PLAIN);
                group.recv(received, before, 0, PLAIN);
                group.endCoalescing();
                return work;
              });
        });
    scene(
        "send and recv",
        scene -> {
          Tensor tensor = scene.input(count, i -> given(rank, i));
          scene.expect(tensor, i -> rank == size - 1 ? given(0, i) : given(rank, i));
          if (rank == 0) {
            scene.check("send", () -> group.send(tensor, size - 1, 3, PLAIN));
          } else if (rank == size - 1) {
            scene.check("recv", () -> group.recv(tensor, 0, 3, PLAIN));
          }
        });
  }

  /** Ten sums cost the votes and messages of one. */
  private void coalesced() {
    scene(
        "coalesced sums",
        scene -> {
          List<Tensor> tensors = new ArrayList<>();
          for (int each = 0; each < 10; each++) {
            tensors.add(scene.input(10 + each, i -> given(rank, i)));
            scene.expect(tensors.get(each), this::total);
          }
          Activity start = activity();
          scene.check("allreduceCoalesced", () -> group.allreduceCoalesced(tensors, SUM));
          Activity end = activity();
          scene(
              "one sum",
              other -> {
                Tensor whole = other.input(145, i -> given(rank, i));
                other.expect(whole, this::total);
                other.check("as large", () -> group.allreduce(whole, SUM));
              });
          Scene.require(end.votes() - start.votes() == 1, "one vote");
          Scene.require(
              end.messages() - start.messages() == activity().messages() - end.messages(),
              "as many messages as one");
        });
    scene(
        "coalesced gathers",
        scene -> {
          List<Tensor> outputs = new ArrayList<>();
          List<Tensor> inputs = new ArrayList<>();
          for (int each = 1; each <= 3; each++) {
            int count = each;
            outputs.add(scene.output(size * count));
            inputs.add(scene.input(count, i -> given(rank, i)));
            scene.expect(outputs.get(each - 1), i -> given(i / count, i % count));
          }
          scene.check("into", () -> group.allgatherIntoTensorCoalesced(outputs, inputs, PLAIN));
        });
    scene(
        "coalesced scatters",
        scene -> {
          List<Tensor> outputs = new ArrayList<>();
          List<Tensor> inputs = new ArrayList<>();
          for (int each = 1; each <= 3; each++) {
            int count = each;
            outputs.add(scene.output(count));
            inputs.add(scene.input(size * count, i -> block(i / count, i % count)));
            scene.expect(outputs.get(each - 1), i -> blocks(rank, i));
          }
          scene.check("tensor", () -> group.reduceScatterTensorCoalesced(outputs, inputs, SUM));
        });
  }

  private Activity activity() {
    return group.communicator().activity();
  }

  private void barriers() {
    group.monitoredBarrier(LIMIT);
    try (Stream stream = group.communicator().device().newStream()) {
      group.barrier(stream, PLAIN).await(LIMIT);
    }
    group.monitoredBarrier(LIMIT);
  }

  /** With asyncOp, rank 0's stream is idle while the others have yet to come. */
  private void streamGoesOn() {
    try (Stream stream = group.communicator().device().newStream()) {
      OpOptions.Plain async = new OpOptions.Plain(Optional.of(LIMIT), true);
      GroupWork early = rank == 0 ? group.barrier(stream, async) : null;
      Deadline deadline = Deadline.after(LIMIT);
      while (!stream.isIdle() && !deadline.isExpired()) {
        Thread.onSpinWait();
      }
      Scene.require(
          stream.isIdle() && (early == null || !early.isCompleted()), "a stream that goes on");
      group.monitoredBarrier(LIMIT);
      GroupWork work = early == null ? group.barrier(stream, async) : early;
      work.synchronize();
      work.await(LIMIT);
      Scene.require(work.durationNs() > 0 && work.exception().isEmpty(), "a good end");
    }
  }

  /** The last rank does not come, and all learn who it was. */
  private void missing() {
    if (rank == size - 1) {
      return;
    }
    try {
      group.monitoredBarrier(TOO_LATE);
      throw new IllegalStateException("nobody missed rank " + (size - 1));
    } catch (DeadlineExceededException e) {
      Scene.require(e.getMessage().contains("rank " + (size - 1)), e.getMessage());
    } catch (TomboloException e) {
      throw new IllegalStateException(e);
    }
  }

  static int given(int rank, int index) {
    return (rank + 1) * (index % 11 + 1);
  }

  private int total(int index) {
    return IntStream.range(0, size).map(each -> given(each, index)).sum();
  }

  /** What this rank has for rank {@code to}. */
  private int block(int to, int index) {
    return given(rank, index) + 1000 * to;
  }

  /** What rank {@code from} has for this rank. */
  private int from(int from, int index) {
    return given(from, index) + 1000 * rank;
  }

  /** All ranks' blocks for {@code to} together. */
  private int blocks(int to, int index) {
    return total(index) + size * 1000 * to;
  }
}
