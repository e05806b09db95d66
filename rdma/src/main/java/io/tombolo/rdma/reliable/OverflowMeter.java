// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Tells queues that overflow from chance. What is lost while the path is known to be empty is
 * chance; what is lost beyond that is collected, until it is too much to be chance as well.
 */
final class OverflowMeter {
  /** What is known of chance is that of so many chunks. */
  private static final double MEMORY_CHUNKS = 512;

  private static final double LEAST_EXCESS = 3;
  private static final double ANY_EXCESS = 0.5;
  private static final double EXCESS_PART = 1 / 32.0;

  private double sentByChance;
  private double lostByChance;
  private double allowance = 0.1;
  private double excess;

  /** While the path was empty, {@code lost} of {@code sent} chunks were lost. */
  void learn(long sent, long lost) {
    double kept = Math.max(0, 1 - sent / MEMORY_CHUNKS);
    sentByChance = kept * sentByChance + sent;
    lostByChance = kept * lostByChance + lost;
    allowance = (lostByChance + Math.sqrt(lostByChance) + 1) / (sentByChance + 1);
  }

  /** The part of the chunks that chance takes. */
  double chance() {
    return lostByChance / Math.max(1, sentByChance);
  }

  /** The part that chance takes at most, as far as is known. */
  double allowance() {
    return allowance;
  }

  /** Whether {@code lost} beside so many that arrived are more than chance takes. */
  boolean isMoreThanChance(long arrived, long lost) {
    return lost > allowance * (arrived + lost);
  }

  void onArrival(int chunks) {
    excess = Math.max(0, excess - chunks * allowance);
  }

  void onLoss() {
    excess += 1 - allowance;
  }

  /** Whether more is lost than by chance, {@code chunks} being in flight. */
  boolean overflows(double chunks) {
    return excess > Math.max(LEAST_EXCESS, chunks * (EXCESS_PART + 2 * chance()));
  }

  /** Whether any chunk may have been lost to an overflow, {@code chunks} being in flight. */
  boolean exceedsChance(double chunks) {
    return excess > ANY_EXCESS + 2 * chunks * chance();
  }

  /** What has been lost so far has been answered. */
  void clear() {
    excess = 0;
  }
}
