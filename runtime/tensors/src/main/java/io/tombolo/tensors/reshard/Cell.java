// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Place;
import io.tombolo.tensors.layout.Shard;

/** Elements that the same ranks hold. */
final class Cell {
  private final Box box;
  private final ImmutableList<Shard> holders;
  private final ImmutableListMultimap<String, Shard> byProcess;
  private final ImmutableListMultimap<String, Shard> byHost;
  private final ImmutableListMultimap<String, Shard> byVendor;

  /** Elements of {@code holders}, of whom there is at least one. */
  Cell(Box box, ImmutableList<Shard> holders) {
    this.box = box;
    this.holders = holders;
    this.byProcess = Multimaps.index(holders, shard -> shard.place().process());
    this.byHost = Multimaps.index(holders, shard -> shard.place().host());
    this.byVendor = Multimaps.index(holders, shard -> shard.place().vendor());
  }

  Box box() {
    return box;
  }

  ImmutableList<Shard> holders() {
    return holders;
  }

  /**
   * Who gives these elements to {@code wanting}: one of the nearest holders. Ranks that follow each
   * other ask holders that follow each other.
   */
  Shard giverTo(Shard wanting) {
    if (holders.size() == 1) {
      return holders.get(0);
    }
    ImmutableList<Shard> nearest = nearestTo(wanting.place());
    return nearest.get(wanting.rank() % nearest.size());
  }

  /** All holders from whom the way to {@code place} is the shortest. */
  ImmutableList<Shard> nearestTo(Place place) {
    ImmutableList<Shard> here = byProcess.get(place.process());
    if (!here.isEmpty()) {
      return here;
    }
    ImmutableList<Shard> near = byHost.get(place.host());
    if (!near.isEmpty()) {
      return near;
    }
    ImmutableList<Shard> alike = byVendor.get(place.vendor());
    return alike.isEmpty() ? holders : alike;
  }
}
