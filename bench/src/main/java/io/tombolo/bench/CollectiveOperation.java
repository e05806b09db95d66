// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Signature;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.util.stream.IntStream;

/**
 * A collective between {@code ranks} ranks, as {@code rank} sees it. Roots are rank 0.
 *
 * @param collective which
 * @param ranks size of the job
 * @param rank whose view it is
 */
record CollectiveOperation(Collective collective, int ranks, int rank) implements Operation {
  private static final int ROOT = 0;

  @Override
  public Operation at(int other) {
    return new CollectiveOperation(collective, ranks, other);
  }

  @Override
  public boolean isReducing() {
    return collective.isReducing();
  }

  @Override
  public long block(long elements) {
    return isCut() ? elements / ranks : elements;
  }

  /** Whether the larger vector has a block for every rank. */
  private boolean isCut() {
    return signature().input().spreads() || signature().output().spreads();
  }

  @Override
  public long total(long block) {
    return isCut() ? block * ranks : block;
  }

  @Override
  public long sendCount(long block) {
    return signature().input().spreads() ? block * ranks : block;
  }

  private Signature signature() {
    return collective.signature();
  }

  @Override
  public ImmutableList<Part> expected(long block) {
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

  @Override
  public CollectiveCall call(long block, DataType type, ReduceOp op, boolean inPlace) {
    Reduction reduction = isReducing() ? new Reduction.By(op) : new Reduction.None();
    return new CollectiveCall(collective, type, reduction, ROOT, new Layout.Even(block), inPlace);
  }

  @Override
  public Work start(
      Communicator communicator,
      CollectiveCall call,
      DeviceBuffer from,
      DeviceBuffer to,
      CallOptions options,
      Stream stream) {
    PlacedCall placed = new PlacedCall(call, from.address(), to.address());
    return communicator.call(placed, options, stream);
  }

  @Override
  public int lastWithResult() {
    return signature().output().holder() == Signature.Holder.ROOT ? ROOT : ranks - 1;
  }

  @Override
  public boolean canBeInPlace() {
    return !signature().isPairwise();
  }

  @Override
  public long sendOffset(long block) {
    return signature().isBlockOfBlocks() && !signature().input().spreads() ? rank * block : 0;
  }

  @Override
  public long receiveOffset(long block) {
    return signature().isBlockOfBlocks() && signature().input().spreads() ? rank * block : 0;
  }

  @Override
  public double busFactor() {
    return collective.busFactor().among(ranks);
  }
}
