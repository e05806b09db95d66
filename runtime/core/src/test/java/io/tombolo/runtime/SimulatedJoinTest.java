// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

/** What a join asks of the store grows with the logarithm of the job's size. */
public final class SimulatedJoinTest {
  private static final int MANY = Boolean.getBoolean("tombolo.full") ? 10_000 : 1_000;

  @Test(timeOut = 300_000)
  public void shouldAskLittleOfTheStoreHoweverManyRanksJoin() {
    for (int size : new int[] {100, MANY}) {
      SimulatedJoin join = new SimulatedJoin(size);
      join.run();
      double limit = 10 * Math.log(size) / Math.log(2);
      assertTrue(join.mostOperations() <= limit, join.mostOperations() + " of " + limit);
      assertTrue(join.storeBytes() < 4_000L * size, join.storeBytes() + " bytes");
    }
  }
}
