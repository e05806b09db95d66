// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Gives each rank its block of the root's. */
final class ScatterRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.atRoot(Content.BLOCKS), Side.of(Content.BLOCK), Source.ROOT);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.SCATTER);
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
    return border.hasRoot() ? new Bounds(border.foreign(), 0) : new Bounds(0, border.own());
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
    return "as gather";
  }

  @Override
  public String bytesAcross() {
    return "the blocks that cross, once";
  }
}
