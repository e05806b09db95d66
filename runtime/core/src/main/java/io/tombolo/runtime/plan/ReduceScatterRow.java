// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Combines everyone's blocks, and gives each rank its own. */
final class ReduceScatterRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.BLOCKS), Side.of(Content.BLOCK), Source.EVERYONE);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.REDUCE_SCATTER);
  }

  @Override
  public ImmutableSet<Primitive> inside() {
    return ImmutableSet.of(Primitive.REDUCE_SCATTER, Primitive.REDUCE);
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
    return cutting.blocks(window -> new ReduceScatterSegment(cutting.journey(), window));
  }

  @Override
  public Bounds bounds(Border border) {
    return new Bounds(border.foreign(), border.own());
  }

  @Override
  public long estimatePs(Estimate estimate) {
    return estimate.blocksPs();
  }

  @Override
  public BusFactor busFactor() {
    return BusFactor.OTHERS;
  }

  @Override
  public String steps() {
    return "the same backwards: what is foreign is reduced inside to the relays and sent across"
        + " straight to its owner, who folds";
  }

  @Override
  public String bytesAcross() {
    return "(1−w_c) · S out of cluster c";
  }
}
