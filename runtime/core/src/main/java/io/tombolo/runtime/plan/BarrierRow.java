// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/** Lets nobody go on before everybody came. */
final class BarrierRow implements OperationRow {
  @Override
  public Signature signature() {
    return new Signature(Side.of(Content.NOTHING), Side.of(Content.NOTHING), Source.SENDER);
  }

  @Override
  public boolean isPointToPoint() {
    return false;
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
    return false;
  }

  @Override
  public ImmutableSet<Algorithm> algorithms() {
    return ImmutableSet.of(Algorithm.PIECES, Algorithm.DIRECT);
  }

  @Override
  public List<Segment> segments(Cutting cutting) {
    return List.of();
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
    return "no steps: the [vote](glossary.md) is the barrier. It agrees when all ranks' streams"
        + " have come";
  }

  @Override
  public String bytesAcross() {
    return "0";
  }
}
