// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Gives everyone everyone's block. */
final class AllGatherRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.BLOCK), Side.of(Content.BLOCKS), Source.SENDER);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.ALL_GATHER);
  }

  @Override
  public ImmutableSet<Primitive> inside() {
    return ImmutableSet.of(Primitive.ALL_GATHER, Primitive.BROADCAST);
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
    return cutting.blocks(window -> new AllGatherSegment(cutting.journey(), window));
  }

  @Override
  public Bounds bounds(Border border) {
    return new Bounds(border.own(), border.foreign());
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
    return "each rank sends its block across once to each other cluster, cut among its relays,"
        + " which gather inside; the cluster's own blocks are gathered inside";
  }

  @Override
  public String bytesAcross() {
    return "(1−w_c) · S into cluster c";
  }
}
