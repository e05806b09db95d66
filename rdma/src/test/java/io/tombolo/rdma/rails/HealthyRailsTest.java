// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

/** Rails that look dead for half a minute and are not. */
public final class HealthyRailsTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final long LONG_NS = 25 * SECOND_NS;

  /** Less than a rail may take to open. */
  private static final long SLOW_OPENING_NS = 24 * SECOND_NS;

  private static final int STRIPE_BYTES = 4096;
  private static final int SEEDS = 20;

  @Test
  public void shouldNotGiveUpARailThatOpensLate() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed, SLOW_OPENING_NS);
      pair.post(0, 5 * STRIPE_BYTES, 2);
      shouldKeepBoth(pair, 2);
    }
  }

  /** What came over the other one lies in other memory. */
  @Test
  public void shouldNotGiveUpARailWhoseStripesAreBeingCopied() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      pair.rails().get(1).copiesTake(LONG_NS);
      pair.post(0, 5 * STRIPE_BYTES, 2);
      shouldKeepBoth(pair, 2);
    }
  }

  /** The one that was ahead is no witness against the other. */
  @Test
  public void shouldGiveUpNoRailWhenAllStandStill() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      pair.rails().get(1).pause(2 * SECOND_NS);
      pair.post(0, 4 * STRIPE_BYTES, 1);
      pair.run(SECOND_NS / 2);
      pair.rails().forEach(rail -> rail.pause(LONG_NS));
      pair.post(0, 4 * STRIPE_BYTES, 1);
      shouldKeepBoth(pair, 2);
    }
  }

  /** Nothing has overtaken what it carries. */
  @Test
  public void shouldNotGiveUpARailWhileTheOtherHasNothingToCarry() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      WorldPair pair = new WorldPair(seed);
      pair.rails().forEach(rail -> rail.pause(LONG_NS));
      pair.post(0, STRIPE_BYTES, 1);
      shouldKeepBoth(pair, 1);
    }
  }

  private static void shouldKeepBoth(WorldPair pair, int messages) {
    pair.run(2 * LONG_NS);
    assertEquals(pair.received(), messages);
    assertEquals(pair.sent(), messages);
    assertEquals(pair.side(0).live(), 0b11);
    assertEquals(pair.side(1).live(), 0b11);
  }
}
