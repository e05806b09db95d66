// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import java.util.Collections;

/**
 * Ranks of one vendor, which can use that vendor's collective library among themselves.
 *
 * @param index position among the clusters of the job, in order of each cluster's lowest rank
 * @param vendor the vendor string its members share
 * @param ranks the members in ascending order; a member's position here is its rank in the vendor's
 *     library
 */
public record Cluster(int index, String vendor, ImmutableList<Integer> ranks) {

  /** Number of members. */
  public int size() {
    return ranks.size();
  }

  /** The member at {@code position}. */
  public int rank(int position) {
    return ranks.get(position);
  }

  /** {@code rank}'s position among the members, or -1 if it is not one. */
  public int positionOf(int rank) {
    int found = Collections.binarySearch(ranks, rank);
    return found < 0 ? -1 : found;
  }
}
