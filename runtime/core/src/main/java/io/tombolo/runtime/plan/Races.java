// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.World.At;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Finds two steps of one rank that touch the same elements, one of them writing, in no order. */
final class Races {
  private final Reachability order;
  private final Map<Space, Cells> spaces = new EnumMap<>(Space.class);

  /** Of {@code steps}, all of one rank. */
  Races(List<At> steps, Reachability order) {
    this.order = order;
    Map<Space, LongStream.Builder> cuts = new EnumMap<>(Space.class);
    for (At at : steps) {
      cut(cuts, at.step().action().reads());
      cut(cuts, at.step().action().writes());
    }
    cuts.forEach((space, places) -> spaces.put(space, new Cells(places.build().toArray())));
  }

  private static void cut(Map<Space, LongStream.Builder> cuts, ImmutableList<Range> ranges) {
    for (Range range : ranges) {
      cuts.computeIfAbsent(range.space(), space -> LongStream.builder())
          .add(range.offset())
          .add(range.end());
    }
  }

  /**
   * Takes the next step, in an order in which they may start; throws a {@link PlanDefect} if it
   * races with one before.
   *
   * <p>It is enough to hold each access against the last write there, and each write against the
   * reads since: what was before that write is before the access, too.
   */
  void take(At at) {
    for (Range range : at.step().action().reads()) {
      spaces.get(range.space()).read(range, at, this);
    }
    for (Range range : at.step().action().writes()) {
      spaces.get(range.space()).write(range, at, this);
    }
  }

  private void check(At earlier, At at) {
    if (earlier != null && !earlier.equals(at) && !order.isBefore(earlier.end(), at.start())) {
      throw new PlanDefect(
          "race: " + at + " and " + earlier + " touch the same elements, in no order");
    }
  }

  /** A memory, cut wherever an access begins or ends. */
  private static final class Cells {
    private final long[] cuts;
    private final At[] written;
    private final List<List<At>> readers = new ArrayList<>();

    Cells(long[] places) {
      this.cuts = distinct(places);
      this.written = new At[cuts.length];
      for (int cell = 0; cell < cuts.length; cell++) {
        readers.add(new ArrayList<>(2));
      }
    }

    private static long[] distinct(long[] places) {
      Arrays.sort(places);
      int found = 0;
      for (int i = 0; i < places.length; i++) {
        if (i == 0 || places[i] != places[i - 1]) {
          places[found++] = places[i];
        }
      }
      return Arrays.copyOf(places, found);
    }

    void read(Range range, At at, Races races) {
      for (int cell = first(range); cell < cuts.length && cuts[cell] < range.end(); cell++) {
        races.check(written[cell], at);
        readers.get(cell).add(at);
      }
    }

    void write(Range range, At at, Races races) {
      for (int cell = first(range); cell < cuts.length && cuts[cell] < range.end(); cell++) {
        races.check(written[cell], at);
        readers.get(cell).forEach(reader -> races.check(reader, at));
        readers.get(cell).clear();
        written[cell] = at;
      }
    }

    private int first(Range range) {
      return Arrays.binarySearch(cuts, range.offset());
    }
  }
}
