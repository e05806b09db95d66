// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import java.util.Optional;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** What a device has said of a queue pair is not true of the next one with its number. */
public final class NicEventsTest {
  @BeforeClass
  public void beAlone() {
    Devices.enterOwnNetwork();
  }

  @AfterClass(alwaysRun = true)
  public void joinTheOthers() {
    Devices.leaveOwnNetwork();
  }

  @Test
  public void shouldForgetWhatWasSaidOfAnOlderPairWithTheSameNumber() {
    try (End writer = new End(0, PairType.RC, false);
        End victim = new End(1, PairType.RC, false)) {
      breakPairs(writer, victim);
      assertTrue(victim.failure().contains("has failed"), victim.failure());
      assertEquals(victim.failureOfNextPair(), Optional.empty());
    }
  }

  @Test
  public void shouldNotHearAfterwardsWhatAPairThatIsGoneDiedOf() {
    try (End writer = new End(0, PairType.RC, false);
        End victim = new End(1, PairType.RC, false)) {
      breakPairs(writer, victim);
      assertEquals(victim.failureOfNextPair(), Optional.empty());
    }
  }

  /** With a write that the victim does not allow. */
  private static void breakPairs(End writer, End victim) {
    writer.connect(victim);
    victim.connect(writer);
    victim.receive(1, 0, Long.BYTES);
    writer.write(2, Long.BYTES, victim.memory.address(), victim.region.remoteKey() + 1, 0);
    assertNotEquals(writer.next().status(), 0);
  }
}
