// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Copies the root's vector to everyone. */
final class BroadcastRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.atRoot(Content.VECTOR), Side.of(Content.VECTOR), Source.ROOT);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.BROADCAST);
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
    return cutting.vector(lane -> new VectorSegment(cutting.journey(), lane));
  }

  @Override
  public Bounds bounds(Border border) {
    return border.hasRoot() ? new Bounds(border.vector(), 0) : new Bounds(0, border.vector());
  }

  @Override
  public long estimatePs(Estimate estimate) {
    return estimate.rootedPs();
  }

  @Override
  public BusFactor busFactor() {
    return BusFactor.ONE;
  }

  @Override
  public String steps() {
    return "the root's cluster broadcasts inside; its relays send across to those of each other"
        + " cluster, which gather inside";
  }

  @Override
  public String bytesAcross() {
    return "(K−1) · S in total";
  }
}
