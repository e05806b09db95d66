// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.PlacedCall;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Turns tensors into calls, and refuses tensors that do not fit together.
 *
 * @param rank this rank
 * @param size number of ranks
 */
record TensorCalls(int rank, int size) {
  private static final Reduction NONE = new Reduction.None();

  /** all_reduce and broadcast work in place, and so does reduce at its root. */
  PlacedCall vector(Collective collective, Tensor tensor, Reduction reduction, int root) {
    return new PlacedCall(
        CollectiveCall.vector(collective, tensor.count(), tensor.type(), reduction, root, false),
        tensor.address(),
        tensor.address());
  }

  PlacedCall broadcast(Tensor tensor, int root) {
    return vector(Collective.BROADCAST, tensor, NONE, root);
  }

  PlacedCall allgather(List<Tensor> outputs, Tensor input) {
    TensorList list = TensorList.of("allgather", outputs, size, input.type());
    checkBlock("allgather", list, input);
    return move(Collective.ALL_GATHER_V, input.address(), list.base(), list.blocks(), input, 0);
  }

  PlacedCall allgatherIntoTensor(Tensor output, Tensor input) {
    checkSame("allgatherIntoTensor", output, input, size * input.count());
    Layout blocks = new Layout.Even(input.count());
    return move(Collective.ALL_GATHER, input.address(), output.address(), blocks, input, 0);
  }

  /** As c10d wants it, all tensors have one size: others than the root do not see them. */
  PlacedCall gather(List<Tensor> outputs, Tensor input, int root) {
    Layout.Uneven blocks = TensorList.even(input.count(), size);
    long base = 0;
    if (rank == root) {
      TensorList list = TensorList.of("gather", outputs, size, input.type());
      checkEven("gather", list, input);
      blocks = list.blocks();
      base = list.base();
    } else {
      checkEmpty("gather", outputs, root);
    }
    return move(Collective.GATHER_V, input.address(), base, blocks, input, root);
  }

  PlacedCall scatter(Tensor output, List<Tensor> inputs, int root) {
    Layout.Uneven blocks = TensorList.even(output.count(), size);
    long base = 0;
    if (rank == root) {
      TensorList list = TensorList.of("scatter", inputs, size, output.type());
      checkEven("scatter", list, output);
      blocks = list.blocks();
      base = list.base();
    } else {
      checkEmpty("scatter", inputs, root);
    }
    return move(Collective.SCATTER_V, base, output.address(), blocks, output, root);
  }

  PlacedCall reduceScatter(Tensor output, List<Tensor> inputs, Reduction reduction) {
    TensorList list = TensorList.of("reduceScatter", inputs, size, output.type());
    checkBlock("reduceScatter", list, output);
    return new PlacedCall(
        CollectiveCall.reduceScatter(list.blocks(), output.type(), reduction, false),
        list.base(),
        output.address());
  }

  PlacedCall reduceScatterTensor(Tensor output, Tensor input, Reduction reduction) {
    checkSame("reduceScatterTensor", input, output, size * output.count());
    return new PlacedCall(
        CollectiveCall.reduceScatter(
            new Layout.Even(output.count()), output.type(), reduction, false),
        input.address(),
        output.address());
  }

  /** Splits are elements for each rank; without any, all are alike. */
  PlacedCall alltoallBase(Tensor output, Tensor input, long[] outputSplits, long[] inputSplits) {
    checkSame("alltoallBase", output, input, output.count());
    boolean even = outputSplits.length == 0 && inputSplits.length == 0;
    Layout sends = splits("input", input, inputSplits);
    Layout receives = splits("output", output, outputSplits);
    return move(
        even ? Collective.ALL_TO_ALL : Collective.ALL_TO_ALL_V,
        input.address(),
        output.address(),
        even ? sends : new Layout.Pairwise(sends, receives),
        input,
        0);
  }

  PlacedCall alltoall(List<Tensor> outputs, List<Tensor> inputs) {
    if (inputs.isEmpty()) {
      throw new UsageException("alltoall: no inputs; give a tensor for each rank");
    }
    TensorList in = TensorList.of("alltoall", inputs, size, inputs.get(0).type());
    TensorList out = TensorList.of("alltoall", outputs, size, inputs.get(0).type());
    Layout.Pairwise blocks = new Layout.Pairwise(in.blocks(), out.blocks());
    return move(Collective.ALL_TO_ALL_V, in.base(), out.base(), blocks, inputs.get(0), 0);
  }

  private static PlacedCall move(
      Collective collective, long send, long receive, Layout blocks, Tensor like, int root) {
    return new PlacedCall(
        CollectiveCall.move(collective, blocks, like.type(), root, false), send, receive);
  }

  private Layout splits(String which, Tensor tensor, long[] splits) {
    if (splits.length == 0) {
      if (tensor.count() % size != 0) {
        throw new UsageException(
            "alltoallBase: %s elements of %s for %s ranks; give splits"
                .formatted(tensor.count(), which, size));
      }
      return new Layout.Even(tensor.count() / size);
    }
    long sum = LongStream.of(splits).sum();
    if (splits.length != size || sum != tensor.count()) {
      throw new UsageException(
          "alltoallBase: %s %s splits of %s elements in all, for %s ranks and %s elements"
              .formatted(splits.length, which, sum, size, tensor.count()));
    }
    return Layout.Uneven.packed(splits);
  }

  private void checkBlock(String what, TensorList list, Tensor own) {
    if (list.blocks().count(rank) != own.count()) {
      throw new UsageException(
          "%s: rank %s has %s, but its place in the list has %s elements"
              .formatted(what, rank, own, list.blocks().count(rank)));
    }
  }

  private void checkEven(String what, TensorList list, Tensor own) {
    for (int each = 0; each < size; each++) {
      if (list.blocks().count(each) != own.count()) {
        throw new UsageException(
            "%s: all tensors have one size; rank %s's has %s elements, not %s"
                .formatted(what, each, list.blocks().count(each), own.count()));
      }
    }
  }

  private void checkEmpty(String what, List<Tensor> list, int root) {
    if (!list.isEmpty()) {
      throw new UsageException(
          "%s: only the root, rank %s, gives a list; rank %s gave one of %s tensors"
              .formatted(what, root, rank, list.size()));
    }
  }

  private static void checkSame(String what, Tensor larger, Tensor smaller, long wanted) {
    if (larger.type() != smaller.type() || larger.count() != wanted) {
      throw new UsageException(
          "%s: %s and %s do not fit together; %s elements of one type are needed"
              .formatted(what, larger, smaller, wanted));
    }
  }
}
