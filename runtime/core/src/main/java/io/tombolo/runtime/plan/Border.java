// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;

/**
 * A cluster's border with the others, of which there are some, as a call sees it. All amounts are
 * bytes.
 *
 * @param clustering all clusters
 * @param call what is computed
 * @param cluster whose border it is
 */
record Border(Clustering clustering, CollectiveCall call, Cluster cluster) {
  int clusters() {
    return clustering.clusters().size();
  }

  /** Whether the root is inside. */
  boolean hasRoot() {
    return clustering.clusterOf(call.root()).index() == cluster.index();
  }

  /** Whether {@code rank} is outside. */
  boolean isForeign(int rank) {
    return clustering.clusterOf(rank).index() != cluster.index();
  }

  /** The vector, or a block. */
  long vector() {
    return call.blockBytes();
  }

  /** The blocks of this cluster's ranks. */
  long own() {
    return bytes(cluster);
  }

  /** The blocks of all other clusters' ranks. */
  long foreign() {
    return clustering.clusters().stream().mapToLong(this::bytes).sum() - own();
  }

  private long bytes(Cluster of) {
    long elements = 0;
    for (int rank : of.ranks()) {
      elements = Math.addExact(elements, call.layout().count(rank));
    }
    return Math.multiplyExact(elements, call.type().sizeBytes());
  }
}
