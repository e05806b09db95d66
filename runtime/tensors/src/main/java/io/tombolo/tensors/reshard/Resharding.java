// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Nearness;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import java.util.List;

/**
 * The plan that brings a tensor from one layout to another.
 *
 * <p>Every rank of the new layout gets each of its elements once, from one of the nearest ranks
 * that have it: of its own process, else of its host, else of its vendor. Nothing else moves, so
 * that no plan moves fewer bytes or moves them less far. Of several nearest ranks, those who want
 * the elements ask one after the other, in the order of their own ranks.
 *
 * <p>Every rank can compute its own part: the plan depends on the two layouts alone. Only those
 * parts are ever listed that somebody asks for. Immutable and thread-safe.
 */
public final class Resharding {
  private final TensorLayout from;
  private final TensorLayout to;
  private final List<Cell> cells;
  private final BoxIndex<Cell> held;
  private final BoxIndex<Shard> wanted;
  private final ImmutableList<Journeys> journeys;

  private Resharding(TensorLayout from, TensorLayout to) {
    this.from = from;
    this.to = to;
    this.cells = Cells.of(from.shards());
    this.held = new BoxIndex<>(cells, Cell::box);
    this.wanted = new BoxIndex<>(to.shards(), Shard::box);
    this.journeys =
        to.shards().stream().map(this::journeysTo).collect(ImmutableList.toImmutableList());
  }

  /**
   * The plan.
   *
   * @throws MismatchException if the layouts are of different tensors, or nobody holds what
   *     somebody wants
   */
  public static Resharding of(TensorLayout from, TensorLayout to) {
    if (!from.whole().equals(to.whole())) {
      throw new MismatchException(
          "the layouts are of different tensors: %s and %s".formatted(from.whole(), to.whole()));
    }
    return new Resharding(from, to);
  }

  /** Who has what. */
  public TensorLayout from() {
    return from;
  }

  /** Who wants what. */
  public TensorLayout to() {
    return to;
  }

  /** What rank {@code rank} of the new layout gets, its own old elements included. */
  public ImmutableList<Transfer> into(int rank) {
    Shard wanting = to.shards().get(rank);
    ImmutableList.Builder<Transfer> transfers = ImmutableList.builder();
    held.forEachOverlap(
        wanting.box(), cell -> transfers.add(transfer(cell, cell.giverTo(wanting), wanting)));
    return transfers.build();
  }

  /** What rank {@code rank} of the old layout gives away, to itself included. */
  public ImmutableList<Transfer> outOf(int rank) {
    ImmutableList.Builder<Transfer> transfers = ImmutableList.builder();
    Shard giver = from.shards().get(rank);
    held.forEachOverlap(
        giver.box(),
        cell -> {
          if (cell.holders().contains(giver)) {
            wanted.forEachOverlap(
                cell.box(),
                wanting -> {
                  if (cell.giverTo(wanting).rank() == rank) {
                    transfers.add(transfer(cell, giver, wanting));
                  }
                });
          }
        });
    return transfers.build();
  }

  /** How far the elements of rank {@code rank} of the new layout travel. */
  public Journeys journeysInto(int rank) {
    return journeys.get(rank);
  }

  /** How far all elements travel. */
  public Journeys journeys() {
    return Journeys.sum(journeys);
  }

  private static Transfer transfer(Cell cell, Shard giver, Shard wanting) {
    return new Transfer(
        giver.rank(),
        wanting.rank(),
        cell.box().intersect(wanting.box()),
        giver.place().to(wanting.place()));
  }

  private Journeys journeysTo(Shard wanting) {
    Journeys.Count count = new Journeys.Count();
    held.forEachOverlap(
        wanting.box(),
        cell -> {
          Nearness nearness = cell.giverTo(wanting).place().to(wanting.place());
          count.add(nearness, cell.box().overlap(wanting.box()));
        });
    Journeys found = count.toJourneys();
    if (found.total() != wanting.box().elements()) {
      throw new MismatchException(
          "nobody holds %s, which rank %s of the new layout wants; its box is %s"
              .formatted(missing(wanting.box()), wanting.rank(), wanting.box()));
    }
    return found;
  }

  private Box missing(Box box) {
    return box.minusAll(cells.stream().map(Cell::box).toList()).get(0);
  }
}
