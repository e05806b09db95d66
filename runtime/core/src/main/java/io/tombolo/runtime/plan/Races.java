package io.tombolo.runtime.plan;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import io.tombolo.runtime.plan.World.At;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** Finds two steps of one rank that touch the same elements, one of them writing, in no order. */
final class Races {
  private final BiPredicate<At, At> isBefore;
  private final Map<Space, Cells> spaces = new EnumMap<>(Space.class);

  private Races(BiPredicate<At, At> isBefore, List<At> steps) {
    this.isBefore = isBefore;
    ListMultimap<Space, Long> cuts = ArrayListMultimap.create();
    for (At at : steps) {
      at.step().action().reads().forEach(range -> cut(cuts, range));
      at.step().action().writes().forEach(range -> cut(cuts, range));
    }
    cuts.asMap().forEach((space, places) -> spaces.put(space, new Cells(places)));
  }

  private static void cut(ListMultimap<Space, Long> cuts, Range range) {
    cuts.put(range.space(), range.offset());
    cuts.put(range.space(), range.end());
  }

  /**
   * Throws a {@link PlanDefect} for the first race among {@code steps}.
   *
   * <p>Steps are taken in an order in which they may start. It is enough to hold each access
   * against the last write there, and each write against the reads since: what was before that
   * write is before the access, too.
   *
   * @param start the place of a step's start in such an order
   * @param isBefore whether the first step always ends before the second one starts
   */
  static void find(List<At> steps, Comparator<At> start, BiPredicate<At, At> isBefore) {
    Races races = new Races(isBefore, steps);
    steps.stream().sorted(start).forEach(races::take);
  }

  private void take(At at) {
    at.step().action().reads().forEach(range -> spaces.get(range.space()).read(range, at, this));
    at.step().action().writes().forEach(range -> spaces.get(range.space()).write(range, at, this));
  }

  private void check(At earlier, At at) {
    if (earlier != null && !earlier.equals(at) && !isBefore.test(earlier, at)) {
      throw new PlanDefect(
          "race: " + at + " and " + earlier + " touch the same elements, in no order");
    }
  }

  /** A memory, cut wherever an access begins or ends. */
  private static final class Cells {
    private final long[] cuts;
    private final At[] written;
    private final List<List<At>> readers = new ArrayList<>();

    Cells(Collection<Long> places) {
      this.cuts = places.stream().mapToLong(place -> place).sorted().distinct().toArray();
      this.written = new At[cuts.length];
      Arrays.stream(cuts).forEach(cut -> readers.add(new ArrayList<>(2)));
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
