// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.PeerFailedException;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A link is ready once the peer has answered, and tells what is known where it does not. */
public final class GreetedLinkTest {
  /** Longer than a peer is given that says nothing. */
  private static final Duration LONG = Duration.ofSeconds(11);

  @DataProvider
  public Object[][] types() {
    return new Object[][] {{PairType.UC}, {PairType.UD}};
  }

  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldWaitForAPeerThatStandsStillBetweenItsCardAndItsPairs(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.join(high);
      high.progress(); // only its card
      low.live(LONG);
      LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
    }
  }

  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldGiveUpAPeerThatStandsStillAfterwards(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      low.join(high);
      high.progress();
      low.progress();
      high.progress();
      high.progress(); // its word that the pairs are connected
      String text =
          expectThrows(PeerFailedException.class, () -> low.live(LONG.plusSeconds(1))).getMessage();
      assertTrue(text.contains("nothing heard for 10"), text);
    }
  }
}
