// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Gives the root everyone's block. */
final class GatherRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.BLOCK), Side.atRoot(Content.BLOCKS), Source.SENDER);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.GATHER);
  }

  @Override
  public ImmutableSet<Primitive> inside() {
    return ImmutableSet.of(Primitive.SEND, Primitive.RECEIVE);
  }

  @Override
  public boolean isHostOnly() {
    return false;
  }

  @Override
  public ImmutableSet<Algorithm> algorithms() {
    return ImmutableSet.of(Algorithm.PIECES, Algorithm.DIRECT);
  }

  @Override
  public List<Segment> segments(Cutting cutting) {
    return cutting.blocks(
        cutting.journey().grouping().size(),
        (start, most) -> new PairSegment(cutting.journey(), start, most));
  }

  @Override
  public Bounds bounds(Border border) {
    return border.hasRoot() ? new Bounds(0, border.foreign()) : new Bounds(border.own(), 0);
  }

  @Override
  public long estimatePs(Estimate estimate) {
    return 0;
  }

  @Override
  public BusFactor busFactor() {
    return BusFactor.OTHERS;
  }

  @Override
  public String steps() {
    return "a block between members goes inside, in one group of sends and receives; any other"
        + " straight across";
  }

  @Override
  public String bytesAcross() {
    return "the blocks that cross, once";
  }
}
