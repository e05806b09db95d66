// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects steps and counts their bytes. */
final class ProgramBuilder {
  private final CollectiveCall call;
  private final int rank;
  private final List<Step> steps = new ArrayList<>();
  private final Map<Space, Long> reached = new EnumMap<>(Space.class);
  private long intraElements;
  private long crossElements;

  ProgramBuilder(CollectiveCall call, int rank) {
    this.call = call;
    this.rank = rank;
  }

  /** Adds a step that waits for {@code after}; returns its id. */
  int add(Action action, Collection<Integer> after) {
    int id = steps.size();
    steps.add(new Step(id, action, sorted(after)));
    action.reads().forEach(this::reserve);
    action.writes().forEach(this::reserve);
    intraElements += action.intraElements();
    crossElements += action.crossElements();
    return id;
  }

  private static ImmutableIntArray sorted(Collection<Integer> ids) {
    int[] sorted = Ints.toArray(ids);
    Arrays.sort(sorted);
    ImmutableIntArray.Builder distinct = ImmutableIntArray.builder(sorted.length);
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        distinct.add(sorted[i]);
      }
    }
    return distinct.build();
  }

  Plan build(Scheme scheme) {
    long size = call.type().sizeBytes();
    return new Plan(
        call,
        rank,
        scheme,
        ImmutableList.copyOf(steps),
        reached.getOrDefault(Space.STAGE, 0L),
        reached.getOrDefault(Space.SCRATCH, 0L),
        intraElements * size,
        crossElements * size);
  }

  private void reserve(Range range) {
    reached.merge(range.space(), range.end(), Math::max);
  }
}
