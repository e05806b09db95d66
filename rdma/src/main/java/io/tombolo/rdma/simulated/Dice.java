package io.tombolo.rdma.simulated;

import java.util.SplittableRandom;

/** What chance decides, by seed. */
final class Dice {
  private final SplittableRandom random;

  Dice(SplittableRandom random) {
    this.random = random;
  }

  /** Whether something of this probability happens. */
  boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** A number from 0 to {@code maximum}, each as likely. */
  long upTo(long maximum) {
    return maximum <= 0 ? 0 : random.nextLong(maximum + 1);
  }

  /** A time of this mean, exponentially distributed. */
  long exponential(long mean) {
    return mean <= 0 ? 0 : (long) (-mean * Math.log(1 - random.nextDouble()));
  }
}
