// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.math.LongMath;

/**
 * What a message costs: α + β·bytes, in whole picoseconds, rounded up.
 *
 * @param latencyPs α
 * @param megabytesPerSecond 1/β, in one direction
 */
public record LinkCost(long latencyPs, int megabytesPerSecond) {
  /** Picoseconds that a byte takes at one megabyte per second. */
  private static final long PICOSECONDS = 1_000_000;

  /** Checks that there is a cost and a bandwidth. */
  public LinkCost {
    checkArgument(latencyPs >= 0, "a negative latency: %s ps", latencyPs);
    checkArgument(megabytesPerSecond > 0, "a link that carries nothing");
  }

  /** Time for {@code sizeBytes}; {@link Long#MAX_VALUE} stands for more than that. */
  public long timePs(long sizeBytes) {
    long transfer = LongMath.saturatedMultiply(sizeBytes, PICOSECONDS);
    long rounded = LongMath.saturatedAdd(transfer, megabytesPerSecond - 1L) / megabytesPerSecond;
    return transfer == Long.MAX_VALUE ? transfer : LongMath.saturatedAdd(latencyPs, rounded);
  }

  /** This link and then {@code next}, one after the other: what a message costs on both. */
  public LinkCost then(LinkCost next) {
    long width =
        (long) megabytesPerSecond
            * next.megabytesPerSecond
            / ((long) megabytesPerSecond + next.megabytesPerSecond);
    return new LinkCost(LongMath.saturatedAdd(latencyPs, next.latencyPs), (int) Math.max(1, width));
  }
}
