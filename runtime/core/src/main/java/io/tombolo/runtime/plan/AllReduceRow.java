// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Combines everyone's vectors, for everyone. */
final class AllReduceRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.VECTOR), Side.of(Content.VECTOR), Source.EVERYONE);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.ALL_REDUCE);
  }

  @Override
  public ImmutableSet<Primitive> inside() {
    return ImmutableSet.of(
        Primitive.REDUCE_SCATTER, Primitive.REDUCE, Primitive.ALL_GATHER, Primitive.BROADCAST);
  }

  @Override
  public boolean isHostOnly() {
    return false;
  }

  @Override
  public ImmutableSet<Algorithm> algorithms() {
    return ImmutableSet.of(Algorithm.PIECES, Algorithm.DIRECT, Algorithm.DOUBLING);
  }

  @Override
  public List<Segment> segments(Cutting cutting) {
    return cutting.vector(lane -> new VectorSegment(cutting.journey(), lane));
  }

  @Override
  public Bounds bounds(Border border) {
    return Bounds.both(Prices.part(2 * border.vector(), border.clusters() - 1L, border.clusters()));
  }

  @Override
  public long estimatePs(Estimate estimate) {
    return estimate.exchangedPs();
  }

  @Override
  public BusFactor busFactor() {
    return BusFactor.OTHERS_TWICE;
  }

  @Override
  public String steps() {
    return "reduce inside to the relays; pieces across to their owners, folded, and across to all;"
        + " gather inside";
  }

  @Override
  public String bytesAcross() {
    return "2(K−1)/K · S out of and into each cluster";
  }
}
