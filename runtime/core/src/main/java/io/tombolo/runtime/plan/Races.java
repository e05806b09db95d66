package io.tombolo.runtime.plan;

import io.tombolo.runtime.plan.World.At;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiPredicate;

/** Finds two steps of one rank that touch the same elements, one of them writing, in no order. */
final class Races {
  private record Access(At at, Range range, boolean writes) {}

  private Races() {}

  /**
   * Throws a {@link PlanDefect} for the first race among {@code steps}.
   *
   * <p>All accesses are swept by their first element, so that only those that meet are compared.
   */
  static void find(List<At> steps, BiPredicate<At, At> areOrdered) {
    List<Access> accesses = new ArrayList<>();
    for (At at : steps) {
      at.step().action().reads().forEach(range -> add(accesses, at, range, false));
      at.step().action().writes().forEach(range -> add(accesses, at, range, true));
    }
    accesses.sort(
        Comparator.<Access, Space>comparing(access -> access.range().space())
            .thenComparingLong(access -> access.range().offset()));
    List<Access> open = new ArrayList<>();
    for (Access access : accesses) {
      open.removeIf(earlier -> !earlier.range().overlaps(access.range()));
      for (Access earlier : open) {
        if ((earlier.writes() || access.writes())
            && !earlier.at().equals(access.at())
            && !areOrdered.test(earlier.at(), access.at())) {
          throw new PlanDefect(
              "race: "
                  + access.at()
                  + " and "
                  + earlier.at()
                  + " touch the same elements, in no order");
        }
      }
      open.add(access);
    }
  }

  private static void add(List<Access> accesses, At at, Range range, boolean writes) {
    if (range.length() > 0) {
      accesses.add(new Access(at, range, writes));
    }
  }
}
