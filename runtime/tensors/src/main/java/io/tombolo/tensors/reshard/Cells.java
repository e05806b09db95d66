// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A layout as disjoint boxes, each with all who hold it. Replicas become one cell. Boxes that
 * overlap without being equal, which no mesh makes, are cut where others begin and end.
 */
final class Cells {
  private Cells() {}

  /** The cells of {@code shards}. */
  static List<Cell> of(List<Shard> shards) {
    Map<Box, List<Shard>> holders = new LinkedHashMap<>();
    for (Shard shard : shards) {
      if (!shard.box().isEmpty()) {
        holders.computeIfAbsent(shard.box(), box -> new ArrayList<>()).add(shard);
      }
    }
    List<Part> parts = new ArrayList<>();
    holders.forEach((box, list) -> parts.add(new Part(box, list)));
    return (areDisjoint(parts) ? parts : cut(parts))
        .stream().map(part -> new Cell(part.box, ImmutableList.copyOf(part.holders))).toList();
  }

  private static boolean areDisjoint(List<Part> parts) {
    BoxIndex<Part> index = new BoxIndex<>(parts, Part::box);
    int[] meetings = {0};
    for (Part part : parts) {
      index.forEachOverlap(part.box, other -> meetings[0]++);
    }
    return meetings[0] == parts.size(); // each meets itself
  }

  private static List<Part> cut(List<Part> parts) {
    List<Part> disjoint = new ArrayList<>();
    for (Part part : parts) {
      List<Box> fresh = List.of(part.box);
      List<Part> next = new ArrayList<>();
      for (Part known : disjoint) {
        fresh = fresh.stream().flatMap(box -> box.minus(known.box).stream()).toList();
        known.box.minus(part.box).forEach(box -> next.add(new Part(box, known.holders)));
        if (known.box.overlap(part.box) > 0) {
          next.add(new Part(known.box.intersect(part.box), both(known.holders, part.holders)));
        }
      }
      fresh.forEach(box -> next.add(new Part(box, part.holders)));
      disjoint = next;
    }
    return disjoint;
  }

  private static List<Shard> both(List<Shard> some, List<Shard> more) {
    return ImmutableList.<Shard>builder().addAll(some).addAll(more).build();
  }

  private record Part(Box box, List<Shard> holders) {}
}
