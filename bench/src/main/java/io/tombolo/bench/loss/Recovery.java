// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableSortedMap;
import org.HdrHistogram.Histogram;

/**
 * How long repeated packets took, in µs.
 *
 * @param count how many there were
 * @param p50Us half of them took no longer
 * @param p99Us nor did 99 % of them
 * @param maxUs the longest
 * @param histogram how many took up to so many µs, in powers of two
 */
record Recovery(
    long count,
    double p50Us,
    double p99Us,
    double maxUs,
    ImmutableSortedMap<Long, Long> histogram) {
  private static final double NS_PER_US = 1e3;

  static Recovery of(Histogram times) {
    ImmutableSortedMap.Builder<Long, Long> buckets = ImmutableSortedMap.naturalOrder();
    times
        .logarithmicBucketValues((long) NS_PER_US, 2)
        .forEach(
            bucket -> {
              if (bucket.getCountAddedInThisIterationStep() > 0) {
                buckets.put(
                    (bucket.getValueIteratedTo() + 1) / (long) NS_PER_US,
                    bucket.getCountAddedInThisIterationStep());
              }
            });
    return new Recovery(
        times.getTotalCount(),
        times.getValueAtPercentile(50) / NS_PER_US,
        times.getValueAtPercentile(99) / NS_PER_US,
        times.getMaxValue() / NS_PER_US,
        buckets.buildOrThrow());
  }

  /** None that anybody has measured. */
  static Recovery none() {
    return new Recovery(0, 0, 0, 0, ImmutableSortedMap.of());
  }
}
