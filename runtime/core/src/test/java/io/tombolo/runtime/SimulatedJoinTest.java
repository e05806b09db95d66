// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import java.lang.management.ManagementFactory;
import org.testng.annotations.Test;

/** What a join costs each rank, in a job of many. */
public final class SimulatedJoinTest {
  private static final int MANY = 10_000;

  /** Of a processor's time, for all ranks together: how long it takes depends on who else runs. */
  private static final long MOST_NS = 10_000_000_000L;

  @Test(timeOut = 300_000)
  public void shouldAskLittleOfTheStoreHoweverManyRanksJoin() {
    for (int size : new int[] {100, MANY}) {
      SimulatedJoin join = new SimulatedJoin(size);
      long begin = processorNs();
      join.run();
      long tookNs = processorNs() - begin;
      assertTrue(tookNs < MOST_NS, tookNs + " ns of a processor");
      double limit = 10 * Math.log(size) / Math.log(2);
      assertTrue(join.mostOperations() <= limit, join.mostOperations() + " of " + limit);
      assertTrue(join.storeBytes() < 4_000L * size, join.storeBytes() + " bytes");
      assertTrue(join.factsLength() < 2_000, join.factsLength() + " characters to agree on");
    }
  }

  private static long processorNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
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
