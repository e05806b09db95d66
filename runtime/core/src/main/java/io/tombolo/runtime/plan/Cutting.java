// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.math.LongMath;
import io.tombolo.topology.Cluster;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * Cuts a call into segments, of which each is made when it is asked for, and anew every time: of
 * some calls there are thousands.
 *
 * @param journey the call on its way
 * @param elements what a segment holds at most
 */
record Cutting(Journey journey, long elements) {
  /** Makes the segment of all blocks' elements from {@code start} on, {@code most} of each. */
  interface BlockSegment {
    Segment of(long start, long most);
  }

  /** All segments of the call. */
  List<? extends Segment> segments() {
    return call().collective().row().segments(this);
  }

  /** What all ranks must plan alike. */
  Scheme scheme() {
    return Scheme.between(journey.grouping(), journey.algorithm(), elements);
  }

  /** Of a vector: whole units per segment, so that only the last one has a tail. */
  List<Segment> vector(Function<Interval, Segment> segment) {
    long count = call().layout().count(0);
    ImmutableList<Cluster> clusters = journey.grouping().clusters();
    long unit = Sharding.unit(clusters, elements);
    long most = unit > elements ? elements : elements / unit * unit;
    return cut(
        count, most, start -> segment.apply(new Interval(start, Math.min(start + most, count))));
  }

  /** Of all ranks' blocks: the same part of each. */
  List<Segment> blocks(Function<BlockWindow, Segment> segment) {
    return blocks(
        journey.grouping().size(),
        (start, most) -> segment.apply(new BlockWindow(call().layout(), start, most)));
  }

  /** Of blocks, {@code together} of which share a segment. */
  List<Segment> blocks(int together, BlockSegment segment) {
    Layout layout = call().layout();
    long count =
        IntStream.range(0, journey.grouping().size())
            .mapToLong(rank -> Math.max(layout.sends().count(rank), layout.receives().count(rank)))
            .max()
            .orElse(0);
    long most = Math.max(1, elements / together);
    long least = layout instanceof Layout.Pairwise ? 1 : 0;
    return cut(Math.max(count, least), most, start -> segment.of(start, most));
  }

  private CollectiveCall call() {
    return journey.call();
  }

  private static List<Segment> cut(long count, long most, LongFunction<Segment> segment) {
    long segments = LongMath.divide(count, most, RoundingMode.CEILING);
    return Lists.transform(
        ContiguousSet.closedOpen(0L, segments).asList(), each -> segment.apply(each * most));
  }
}
