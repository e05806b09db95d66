// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A link is ready once the peer has answered, and tells what is known where it does not. */
public final class GreetedLinkTest {
  /** Longer than a peer is given that says nothing. */
  private static final Duration LONG = Duration.ofSeconds(11);

  /** Longer than an answer takes. */
  private static final Duration WHILE = Duration.ofSeconds(2);

  private static final Duration BUDGET = Duration.ofSeconds(60);

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
      low.until(() -> ends.sender().doing().startsWith("ours are connected"));
      low.live(LONG);
      LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
    }
  }

  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldGiveUpAPeerThatStandsStillAfterwards(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.join(high);
      low.progress(); // only its card
      high.until(() -> ends.receiver().doing().startsWith("ours are connected"));
      high.progress(); // its word of that
      low.until(() -> ends.sender().doing().startsWith("its queue pairs are connected"));
      String text =
          expectThrows(PeerFailedException.class, () -> low.live(LONG.plusSeconds(1))).getMessage();
      assertTrue(text.contains("nothing heard for 10"), text);
      assertFalse(ends.sender().isEndedByPeer());
      assertTrue(text.contains("or the peer's process stands still"), text);
    }
  }

  /**
   * Who names an opening that is late would else leave open what it waits for. Nobody can tell
   * whether the call that is under way has begun.
   */
  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldSayThatTheKernelLooksForOthersFirst(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.join(high);
      high.progress(); // its card
      try (HeldResolver held = new HeldResolver(low.nic)) {
        low.progress();
        low.progress(); // where the first has only taken the card
        String text = ends.sender().doing();
        assertTrue(text.contains("GID 10.") && text.contains("one after the other"), text);
        assertTrue(text.contains("or for this one now"), text);
      }
      low.until(() -> ends.sender().doing().startsWith("ours are connected"));
    }
  }

  /** Else only the time for opening would end what cannot open any more. */
  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldNoticeThatAPeerLeavesWhileTheKernelLooksForIt(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.join(high);
      high.progress(); // its card
      try (HeldResolver held = new HeldResolver(low.nic)) {
        low.progress();
        low.progress(); // where the first has only taken the card
        high.until(() -> ends.receiver().doing().startsWith("ours are connected"));
        high.progress(); // its word of that
        low.progress(); // which hears it
        ends.receiver().hangUp();
        String text = expectThrows(UncheckedIOException.class, low::progress).getMessage();
        assertTrue(text.contains("closed the connection before it was ready"), text);
      }
    }
  }

  /** The end that hears the other, and is not answered, learns of it that it leaves. */
  @Test(dataProvider = "types", timeOut = 120_000)
  public void shouldNotOpenBecauseAPeerThatHearsNothingLeaves(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1)) {
      LossySide.Ends ends = low.joinMute(high);
      LossySide.until(() -> ends.receiver().doing().contains("the peer's packets come"), low, high);
      high.live(WHILE);
      ends.sender().hangUp();
      Deadline deadline = Deadline.after(BUDGET);
      String text =
          expectThrows(
                  PeerFailedException.class,
                  () -> {
                    while (!ends.receiver().isReady() && !deadline.isExpired()) {
                      low.progressPort();
                      high.progress();
                    }
                  })
              .getMessage();
      assertFalse(ends.receiver().isReady());
      assertTrue(ends.receiver().isEndedByPeer());
      assertTrue(text.contains("the peer closed its end"), text);
      assertTrue(text.contains("the peer's packets come, and none of ours is answered"), text);
    }
  }
}
