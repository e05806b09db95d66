// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

/**
 * Whose turn it is: weighted round robin by bytes. Each rail has a time at which it will be through
 * with what it was given at its rate; the next stripe goes to the one that will be first. Only
 * integers and the order of stripes count, so that both ends find the same turns.
 */
final class WeightedTurns {
  /** What a stripe costs besides its bytes, so that empty ones take turns as well. */
  private static final int STRIPE_OVERHEAD_BYTES = 256;

  /** A stripe has at most 2^24 bytes: its time fits a long by far. */
  private static final int SCALE_BITS = 20;

  private final int[] weights;
  private final long[] throughAt;

  /** Rails of these weights, by index; 0 for one that gets no turn. */
  WeightedTurns(int... weights) {
    this.weights = weights.clone();
    this.throughAt = new long[weights.length];
  }

  /** The rail whose turn it is. */
  int next() {
    int least = -1;
    for (int rail = 0; rail < weights.length; rail++) {
      if (weights[rail] > 0 && (least < 0 || throughAt[rail] < throughAt[least])) {
        least = rail;
      }
    }
    return least;
  }

  /** The rail whose turn it was has taken a stripe of {@code bytes}. */
  void took(int rail, int bytes) {
    long began = throughAt[rail]; // the least of all
    for (int i = 0; i < throughAt.length; i++) {
      throughAt[i] = Math.max(0, throughAt[i] - began); // times stay small
    }
    throughAt[rail] += (((long) bytes + STRIPE_OVERHEAD_BYTES) << SCALE_BITS) / weights[rail];
  }
}
