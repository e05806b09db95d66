// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

/** The seed of a random test: another one each time, unless {@code -Dtombolo.seed=N} is given. */
public final class TestSeed {
  private TestSeed() {}

  /** A seed, printed before it is used: however the test ends, it can be repeated. */
  public static long drawn() {
    long seed = Long.getLong("tombolo.seed", System.nanoTime());
    System.out.println("to repeat: -Dtombolo.seed=" + seed);
    return seed;
  }
}
