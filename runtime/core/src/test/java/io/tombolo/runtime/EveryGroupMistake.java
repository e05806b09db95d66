// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.group.GroupWork;
import io.tombolo.runtime.group.OpOptions;
import io.tombolo.runtime.group.ProcessGroup;
import io.tombolo.runtime.group.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Makes every mistake with a process group: each is refused, and the group goes on. */
final class EveryGroupMistake {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long[] NONE = {};
  private static final OpOptions.Plain PLAIN = OpOptions.Plain.STANDARD;
  private static final OpOptions.Reducing SUM = OpOptions.Reducing.by(ReduceOp.SUM);

  private final ProcessGroup group;
  private final int rank;
  private final int size;

  EveryGroupMistake(ProcessGroup group) {
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
  }

  private interface Mistake {
    void make(Tensor some, Tensor more, List<Tensor> list);
  }

  void run() {
    OpOptions.Rooted other = OpOptions.Rooted.at((rank + 1) % size);
    refuse(
        "a list that is too short", (some, more, list) -> group.allgather(List.of(), some, PLAIN));
    refuse("another size", (some, more, list) -> group.allgather(list, more, PLAIN));
    refuse("a list off the root", (some, more, list) -> group.gather(list, some, other));
    refuse("a list off the root", (some, more, list) -> group.scatter(some, list, other));
    refuse(
        "a root that is not there",
        (some, more, list) -> group.broadcast(some, OpOptions.Rooted.at(size)));
    refuse("too small", (some, more, list) -> group.allgatherIntoTensor(some, more, PLAIN));
    refuse(
        "splits that do not add up",
        (some, more, list) -> group.alltoallBase(some, more, new long[size], NONE, PLAIN));
    refuse("overlap", (some, more, list) -> group.alltoall(list, shifted(list), PLAIN));
    refuse(
        "unequal lists",
        (some, more, list) -> group.allgatherIntoTensorCoalesced(list, List.of(), PLAIN));
    refuse("an end without start", (some, more, list) -> group.endCoalescing());
    refuse("no rank", (some, more, list) -> group.send(some, size, 0, PLAIN));
    refuse("no elements", (some, more, list) -> group.recvAnySource(empty(some), 0, PLAIN));
    try (Stream stream = group.communicator().device().newStream()) {
      coalescingMistakes(stream);
    }
  }

  private static Tensor empty(Tensor like) {
    return new Tensor(like.address(), 0, like.type(), like.stream());
  }

  private void coalescingMistakes(Stream stream) {
    group.startCoalescing();
    refuse("a second start", (some, more, list) -> group.startCoalescing());
    Scene.play(
        group,
        "mistakes in a group",
        scene -> {
          Tensor tensor = scene.input(3, i -> EveryGroupCall.given(rank, i));
          scene.expect(tensor, this::total);
          GroupWork work = group.allreduce(tensor, SUM);
          Scene.require(!work.isCompleted(), "not made yet");
          refuse("a wait before the end", (some, more, list) -> work.await(LIMIT));
          refuse("a mixture", (some, more, list) -> group.send(tensor, 0, 0, PLAIN));
          refuse("another stream", (some, more, list) -> group.barrier(stream, PLAIN));
          scene.check("the rest", group::endCoalescing);
          Scene.require(work.isSuccess(), "the same end for all");
        });
  }

  private static List<Tensor> shifted(List<Tensor> list) {
    return list.stream()
        .map(each -> new Tensor(each.address() + 4, each.count(), each.type(), each.stream()))
        .toList();
  }

  private void refuse(String what, Mistake mistake) {
    Scene.play(
        group,
        what,
        scene -> {
          List<Tensor> list = scene.outputs(size, each -> 4);
          Tensor some = scene.output(4);
          Tensor more = scene.output(5);
          try {
            mistake.make(some, more, list);
          } catch (UsageException e) {
            return;
          }
          throw new IllegalStateException(what + " was not refused");
        });
  }

  private int total(int index) {
    return IntStream.range(0, size).map(each -> EveryGroupCall.given(each, index)).sum();
  }
}
