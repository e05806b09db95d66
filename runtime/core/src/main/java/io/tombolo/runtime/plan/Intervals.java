// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;

/** Some elements of a vector, in as few lanes as they make. */
final class Intervals {
  private final RangeSet<Long> elements = TreeRangeSet.create();

  /** Adds what is not among them yet. */
  void add(Interval lane) {
    elements.add(com.google.common.collect.Range.closedOpen(lane.start(), lane.end()));
  }

  /** Takes out what is among them. */
  void remove(Interval lane) {
    elements.remove(com.google.common.collect.Range.closedOpen(lane.start(), lane.end()));
  }

  /** The lanes, in order; none is empty, and no two touch. */
  ImmutableList<Interval> all() {
    return elements.asRanges().stream()
        .map(range -> new Interval(range.lowerEndpoint(), range.upperEndpoint()))
        .collect(ImmutableList.toImmutableList());
  }
}
