// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import java.util.SplittableRandom;

/** What chance decides, by seed. */
public final class Dice {
  private final SplittableRandom random;

  /** Dice that fall as {@code random} says. */
  public Dice(SplittableRandom random) {
    this.random = random;
  }

  /** Whether something of this probability happens. */
  public boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** A number from 0 to {@code maximum}, each as likely. */
  public long upTo(long maximum) {
    return maximum <= 0 ? 0 : random.nextLong(maximum + 1);
  }

  /** A time of this mean, exponentially distributed. */
  public long exponential(long mean) {
    return mean <= 0 ? 0 : (long) (-mean * Math.log(1 - random.nextDouble()));
  }
}
