// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.emulated.hca.EmulatedHca;
import java.io.IOException;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * A queue pair that breaks while nothing is posted to it: no request fails, and only an event
 * tells.
 */
public final class BrokenPairTest {
  /** Of which one looks at the events. */
  private static final int ROUNDS = 100;

  @BeforeMethod
  public void beAlone() {
    Devices.enterOwnNetwork();
  }

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("BREAK_PAIR", "0");
    LateEnds.hasten();
    Devices.leaveOwnNetwork();
  }

  @Test(timeOut = 120_000)
  public void shouldTellOfAPairThatBreaksOnAnIdleLink() throws IOException {
    try (LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossyLink link = low.join(high).sender();
      LossyLink other = low.join(high).sender();
      LossySide.until(() -> link.isReady() && other.isReady(), low, high);
      look(link);
      String broken = link.pairs().get(0).toString();
      EmulatedHca.set("BREAK_PAIR", broken);
      String why = expectThrows(IOException.class, () -> look(link)).getMessage();
      assertTrue(
          why.startsWith(
              "queue pair "
                  + broken
                  + " has failed: queue pair broken (see dmesg) on emu-mlx5_0:1"),
          why);
      look(other);
    }
  }

  /** As the fabric does where nothing happens. */
  private static void look(LossyLink link) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      assertFalse(link.isPeerGone(), "the peer is there");
    }
  }
}
