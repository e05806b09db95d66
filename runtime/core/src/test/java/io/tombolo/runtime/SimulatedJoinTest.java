// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

/** What a join costs each rank, in a job of many. */
public final class SimulatedJoinTest {
  private static final int MANY = 10_000;

  @Test(timeOut = 300_000)
  public void shouldAskLittleOfTheStoreHoweverManyRanksJoin() {
    for (int size : new int[] {100, MANY}) {
      SimulatedJoin join = new SimulatedJoin(size);
      join.run();
      double limit = 10 * Math.log(size) / Math.log(2);
      assertTrue(join.mostOperations() <= limit, join.mostOperations() + " of " + limit);
      assertTrue(join.storeBytes() < 4_000L * size, join.storeBytes() + " bytes");
      assertTrue(join.factsLength() < 2_000, join.factsLength() + " characters to agree on");
    }
  }

  /** It has no channels to them: those are opened for the first message. */
  @Test(timeOut = 300_000)
  public void shouldHoldLittleForEachPeerThatItNeverTalksTo() {
    SimulatedJoin join = new SimulatedJoin(MANY);
    join.run();
    long bytes = join.heldBytes() / MANY;
    System.out.println("held for an idle peer: " + bytes + " bytes");
    assertTrue(bytes < 1_024, bytes + " bytes for each peer");
  }
}
