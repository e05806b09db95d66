// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Some messages of one rank, which others have the other ends of. */
final class ExchangeRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.BLOCKS), Side.of(Content.BLOCKS), Source.SENDER);
  }

  @Override
  public boolean isPointToPoint() {
    return true;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.empty();
  }

  @Override
  public ImmutableSet<Primitive> inside() {
    return ImmutableSet.of();
  }

  @Override
  public boolean isHostOnly() {
    return true;
  }

  @Override
  public ImmutableSet<Algorithm> algorithms() {
    return ImmutableSet.of(Algorithm.PIECES, Algorithm.DIRECT);
  }

  @Override
  public List<Segment> segments(Cutting cutting) {
    return cutting.blocks(1, (start, most) -> new PairSegment(cutting.journey(), start, most));
  }

  @Override
  public Bounds bounds(Border border) {
    return Bounds.NONE;
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
    return "a batch of sends and receives: every message straight across";
  }

  @Override
  public String bytesAcross() {
    return "all of them, once";
  }
}
