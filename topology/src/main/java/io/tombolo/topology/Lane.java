// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;

/**
 * A stretch of every vector for which each cluster has exactly one relay.
 *
 * @param from where it starts, in parts of {@link #WHOLE}
 * @param to where it ends, in parts of {@link #WHOLE}
 * @param relays one per cluster, by cluster index
 */
public record Lane(long from, long to, ImmutableList<Relay> relays) {
  /** The number of parts that a vector has. */
  public static final long WHOLE = 1L << 30;

  /** Whether all its relays are on the same rail, so that it needs only one plane of switches. */
  public boolean isRailAligned() {
    return relays.stream().mapToInt(Relay::rail).distinct().count() <= 1;
  }
}
