// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.plan.Bounds;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;

/**
 * The least that a call can take in which each cluster's library does its part, and one core of
 * each rank's host the rest: what the libraries took, plus what must cross the cluster's border, at
 * the speed of a copy each way, plus one pass of arithmetic over the partial results that must
 * enter. The members of a cluster share its part alike. See docs/algorithms.md. Pure.
 *
 * @param speed of a core
 */
record HierarchicalBound(CoreSpeed speed) {

  /**
   * The slowest cluster's bound of {@code call}, in µs, where the libraries took {@code insideUs}.
   */
  double timeUs(Clustering clustering, CollectiveCall call, double insideUs) {
    return insideUs
        + clustering.clusters().stream()
            .mapToDouble(cluster -> acrossUs(clustering, call, cluster))
            .max()
            .orElse(0);
  }

  private double acrossUs(Clustering clustering, CollectiveCall call, Cluster cluster) {
    Bounds bounds = Bounds.of(clustering, call, cluster);
    double copied = (double) bounds.outBytes() + bounds.inBytes();
    double folded = partialShare(call) * bounds.inBytes();
    double microseconds = copied / speed.copyBytesPerUs() + folded / speed.foldBytesPerUs();
    return microseconds / cluster.size();
  }

  /**
   * How much of what enters has yet to be combined: where all get the sums, half of it are sums.
   */
  private static double partialShare(CollectiveCall call) {
    if (!call.collective().isReducing()) {
      return 0;
    }
    return call.collective().signature().isSameEverywhere() ? 0.5 : 1;
  }
}
