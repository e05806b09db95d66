// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import java.util.List;
import org.HdrHistogram.Histogram;

/** Times that all ranks measured for the same calls. */
final class Times {
  private final Histogram all;
  private final long slowestMedianNs;

  /** Joins {@code perRank}, which must not be empty. */
  Times(List<Histogram> perRank) {
    this.all = new Histogram(perRank.get(0));
    perRank.forEach(all::add);
    this.slowestMedianNs = perRank.stream().mapToLong(Times::medianNs).max().orElseThrow();
  }

  /** Whether there was no call. */
  boolean isEmpty() {
    return all.getTotalCount() == 0;
  }

  /** The largest of the ranks' medians. */
  long slowestMedianNs() {
    return slowestMedianNs;
  }

  /** The time that {@code percent} of all calls on all ranks did not exceed. */
  long percentileNs(double percent) {
    return all.getValueAtPercentile(percent);
  }

  /** The shortest time on any rank. */
  long minNs() {
    return all.getMinValue();
  }

  private static long medianNs(Histogram histogram) {
    return Math.max(1, histogram.getValueAtPercentile(50));
  }
}
