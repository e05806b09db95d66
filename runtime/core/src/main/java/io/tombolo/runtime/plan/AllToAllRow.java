// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Gives each rank its block of everyone's. */
final class AllToAllRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.BLOCKS), Side.of(Content.BLOCKS), Source.SENDER);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
  }

  @Override
  public Optional<Primitive> whole() {
    return Optional.of(Primitive.ALL_TO_ALL);
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
    return Bounds.both(Math.multiplyExact(border.foreign(), (long) border.cluster().size()));
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
    return "as gather. In round r, rank i sends to rank i+r, so that not all send to the same one";
  }

  @Override
  public String bytesAcross() {
    return "the blocks that cross, once";
  }
}
