package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
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
   * @param source whose input it is, or {@link #REDUCED}
   * @param from the element of that input, or of the combination, with which it begins
   */
  record Part(long offset, long count, int source, long from) {
    /** The combination of all inputs. */
    static final int REDUCED = -1;
  }

  /** The elements of a block, where the larger vector has at most {@code elements}. */
  long block(long elements) {
    return isCut() ? elements / ranks : elements;
  }

  /** Whether the larger vector has a block for every rank. */
  private boolean isCut() {
    return switch (collective) {
      case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> true;
      default -> false;
    };
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
    return switch (collective) {
      case REDUCE_SCATTER, ALL_TO_ALL, SCATTER -> block * ranks;
      default -> block;
    };
  }

  /** What this rank must receive; nothing where it gets no result. */
  ImmutableList<Part> expected(long block) {
    long mine = rank * block;
    return switch (collective) {
      case ALL_REDUCE -> ImmutableList.of(new Part(0, block, Part.REDUCED, 0));
      case REDUCE -> atRoot(ImmutableList.of(new Part(0, block, Part.REDUCED, 0)));
      case BROADCAST -> ImmutableList.of(new Part(0, block, ROOT, 0));
      case REDUCE_SCATTER -> ImmutableList.of(new Part(0, block, Part.REDUCED, mine));
      case SCATTER -> ImmutableList.of(new Part(0, block, ROOT, mine));
      case ALL_GATHER -> everyonesFrom(0, block);
      case GATHER -> atRoot(everyonesFrom(0, block));
      case ALL_TO_ALL -> everyonesFrom(mine, block);
      default -> throw new IllegalArgumentException("no benchmark of " + collective.text());
    };
  }

  private ImmutableList<Part> atRoot(ImmutableList<Part> parts) {
    return isRoot() ? parts : ImmutableList.of();
  }

  /** Whether this rank is the root. */
  boolean isRoot() {
    return rank == ROOT;
  }

  /** Whether all other ranks get nothing. */
  boolean hasResultAtRootOnly() {
    return collective == Collective.REDUCE || collective == Collective.GATHER;
  }

  private ImmutableList<Part> everyonesFrom(long from, long block) {
    return IntStream.range(0, ranks)
        .mapToObj(source -> new Part(source * block, block, source, from))
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether input and output can be in one buffer. */
  boolean canBeInPlace() {
    return collective != Collective.ALL_TO_ALL;
  }

  /** Where this rank's input begins in the one buffer of a call in place, in elements. */
  long sendOffset(long block) {
    return switch (collective) {
      case ALL_GATHER, GATHER -> rank * block;
      default -> 0;
    };
  }

  /** Where this rank's output begins there. */
  long receiveOffset(long block) {
    return switch (collective) {
      case REDUCE_SCATTER, SCATTER -> rank * block;
      default -> 0;
    };
  }

  /** How much of the algorithm's bandwidth the busiest link carries: nccl-tests, PERFORMANCE.md. */
  double busFactor() {
    return switch (collective) {
      case ALL_REDUCE -> 2.0 * (ranks - 1) / ranks;
      case REDUCE, BROADCAST -> 1;
      default -> (ranks - 1.0) / ranks;
    };
  }
}
