// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.Signature.Content;
import io.tombolo.runtime.plan.Signature.Side;
import io.tombolo.runtime.plan.Signature.Source;
import java.util.List;
import java.util.Optional;

/**
 * Combines the vectors of all ranks up to each one, as MPI_Scan does, or before it, as MPI_Exscan
 * does: then rank 0 gets nothing, and its output is left as it was.
 *
 * @param inclusive whether a rank's own elements are part of its result
 */
record PrefixRow(boolean inclusive) implements OperationRow {
  @Override
  public Signature signature() {
    Side input = Side.of(Content.VECTOR);
    return inclusive
        ? new Signature(input, Side.of(Content.VECTOR), Source.UP_TO_SELF)
        : new Signature(input, Side.butFirst(Content.VECTOR), Source.BEFORE_SELF);
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

  /** No library has a scan, and the order of ranks is not that of clusters. */
  @Override
  public boolean isHostOnly() {
    return true;
  }

  @Override
  public ImmutableSet<Algorithm> algorithms() {
    return ImmutableSet.of(Algorithm.PIECES);
  }

  @Override
  public List<Segment> segments(Cutting cutting) {
    return cutting.vector(lane -> new PrefixSegment(cutting.journey(), lane, inclusive));
  }

  /**
   * Members next to each other in rank order need nothing of others between them. What those before
   * such a run combine to, since the run before it, cannot be known inside, and so must enter; and
   * what it combines to itself must leave if anyone comes after.
   */
  @Override
  public Bounds bounds(Border border) {
    long out = 0;
    long in = 0;
    int size = border.clustering().size();
    for (int rank : border.cluster().ranks()) {
      in += rank > 0 && border.isForeign(rank - 1) ? 1 : 0;
      out += rank < size - 1 && border.isForeign(rank + 1) ? 1 : 0;
    }
    return new Bounds(
        Math.multiplyExact(out, border.vector()), Math.multiplyExact(in, border.vector()));
  }

  @Override
  public long estimatePs(Estimate estimate) {
    return 0;
  }

  @Override
  public BusFactor busFactor() {
    return BusFactor.ONE;
  }

  @Override
  public String steps() {
    return inclusive
        ? "a chain in rank order: each rank combines its own to what the rank before it sends, and"
            + " sends that on"
        : "as scan; each rank keeps what it received. Rank 0 gets nothing";
  }

  @Override
  public String bytesAcross() {
    return "S for each two neighbours in rank order of different clusters";
  }
}
