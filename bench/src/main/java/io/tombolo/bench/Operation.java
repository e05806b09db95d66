// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Signature;
import java.util.stream.IntStream;

/**
 * What a collective moves between {@code ranks} ranks, as {@code rank} sees it: how long vectors
 * are and what must be in them afterwards. Roots are rank 0. Sizes are those of nccl-tests: of the
 * larger of a rank's two vectors. Pure.
 */
record Operation(Collective collective, int ranks, int rank) {
  static final int ROOT = 0;

  /**
   * A part of a result.
   *
   * @param offset its first element
   * @param count its elements
   * @param source whose input it is
   * @param combined how many ranks' inputs are combined in it, from {@code source} on
   * @param from the element of that input, or of the combination, with which it begins
   */
  record Part(long offset, long count, int source, int combined, long from) {}

  /** The elements of a block, where the larger vector has at most {@code elements}. */
  long block(long elements) {
    return isCut() ? elements / ranks : elements;
  }

  /** Whether the larger vector has a block for every rank. */
  private boolean isCut() {
    return signature().input().spreads() || signature().output().spreads();
  }

  /** The call that moves blocks of {@code block} elements, reductions by {@code op}. */
  CollectiveCall call(long block, DataType type, ReduceOp op, boolean inPlace) {
    Reduction reduction = collective.isReducing() ? new Reduction.By(op) : new Reduction.None();
    return new CollectiveCall(collective, type, reduction, ROOT, new Layout.Even(block), inPlace);
  }

  /** Elements of the larger vector that has blocks of {@code block}. */
  long total(long block) {
    return isCut() ? block * ranks : block;
  }

  /** Elements that this rank sends. */
  long sendCount(long block) {
    return signature().input().spreads() ? block * ranks : block;
  }

  private Signature signature() {
    return collective.signature();
  }

  /** What this rank must receive; nothing where it gets no result. */
  ImmutableList<Part> expected(long block) {
    Signature.Side output = signature().output();
    if (!output.isAt(rank, ROOT)) {
      return ImmutableList.of();
    }
    long from = signature().input().spreads() ? rank * block : 0;
    return IntStream.range(0, output.spreads() ? ranks : 1)
        .mapToObj(each -> part(each, block, from))
        .collect(ImmutableList.toImmutableList());
  }

  private Part part(int index, long block, long from) {
    long offset = index * block;
    return switch (signature().source()) {
      case SENDER -> new Part(offset, block, index, 1, from);
      case ROOT -> new Part(offset, block, ROOT, 1, from);
      case EVERYONE -> new Part(offset, block, 0, ranks, from);
      case UP_TO_SELF -> new Part(offset, block, 0, rank + 1, from);
      case BEFORE_SELF -> new Part(offset, block, 0, rank, from);
    };
  }

  /** Whether this rank is the root. */
  boolean isRoot() {
    return rank == ROOT;
  }

  /** Whether all other ranks get nothing. */
  boolean hasResultAtRootOnly() {
    return signature().output().holder() == Signature.Holder.ROOT;
  }

  /** Whether input and output can be in one buffer. */
  boolean canBeInPlace() {
    return !signature().isPairwise();
  }

  /** Where this rank's input begins in the one buffer of a call in place, in elements. */
  long sendOffset(long block) {
    return signature().isBlockOfBlocks() && !signature().input().spreads() ? rank * block : 0;
  }

  /** Where this rank's output begins there. */
  long receiveOffset(long block) {
    return signature().isBlockOfBlocks() && signature().input().spreads() ? rank * block : 0;
  }

  /** How much of the algorithm's bandwidth the busiest link carries: nccl-tests, PERFORMANCE.md. */
  double busFactor() {
    return collective.busFactor().among(ranks);
  }
}
