// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.topology.Cluster;

/**
 * What all segments of one rank's plan have in common.
 *
 * @param call what is computed
 * @param rank whose plan it is
 * @param grouping the clusters as the call sees them
 * @param algorithm how it is computed
 */
record Journey(CollectiveCall call, int rank, Grouping grouping, Algorithm algorithm) {
  /** This rank's cluster, as the call sees it. */
  Cluster mine() {
    return grouping.clusterOf(rank);
  }

  int position() {
    return mine().positionOf(rank);
  }

  Buffers buffers() {
    return new Buffers(call, rank, grouping.size());
  }

  Inside inside() {
    return new Inside(mine(), position(), call.reduction().inner());
  }
}
