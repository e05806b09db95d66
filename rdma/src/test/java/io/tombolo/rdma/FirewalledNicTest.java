// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.emulated.hca.EmulatedHca;
import java.time.Duration;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A firewall that lets TCP through, by which two ports meet, and drops what their NICs send. */
public final class FirewalledNicTest {
  /** Longer than an opening takes on a busy machine, shorter than a silent peer is given. */
  private static final Duration SHORT = Duration.ofSeconds(3);

  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE = 3000;

  @AfterMethod(alwaysRun = true)
  public void open() {
    firewall(false);
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldSayWhatDoesNotGetThroughWhenTheOpeningIsOver(Kind kind) {
    try (FabricPair pair = opened(kind)) {
      firewall(true);
      Channel fromLow = pair.low.connect(1, pair.high.address(), 8, Deadline.after(SHORT));
      Channel fromHigh = pair.high.connect(0, pair.low.address(), 8, Deadline.after(BUDGET));
      String text =
          expectThrows(
                  DeadlineExceededException.class,
                  () -> pair.until(() -> fromLow.isOpen() || fromHigh.isOpen()))
              .getMessage();
      assertTrue(text.matches("rank 0 to rank 1 over u[cd], channel 8 did not open .*"), text);
      shouldSayWhatToLookAt(text);
      text = expectThrows(TomboloException.class, () -> pair.until(fromHigh::isOpen)).getMessage();
      assertTrue(text.matches("rank 1 to rank 0 over u[cd], channel 8 .*"), text);
      shouldSayWhatToLookAt(text);
    }
  }

  /** Who has more time to open than a peer is given that says nothing. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldSayTheSameWhenAnOpeningTakesLongerThanSilencesMay(Kind kind) {
    try (FabricPair pair = opened(kind)) {
      firewall(true);
      Channel fromLow = pair.low.connect(1, pair.high.address(), 8, Deadline.after(BUDGET));
      Channel fromHigh = pair.high.connect(0, pair.low.address(), 8, Deadline.after(BUDGET));
      String text =
          expectThrows(
                  TomboloException.class,
                  () -> pair.until(() -> fromLow.isOpen() || fromHigh.isOpen()))
              .getMessage();
      assertTrue(text.contains("nothing heard for 10"), text);
      shouldSayWhatToLookAt(text);
    }
  }

  /** Nobody gives up before his time is over. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldOpenOnceTheFirewallDoes(Kind kind) {
    try (FabricPair pair = opened(kind)) {
      firewall(true);
      Channel fromLow = pair.low.connect(1, pair.high.address(), 8, Deadline.after(BUDGET));
      Channel fromHigh = pair.high.connect(0, pair.low.address(), 8, Deadline.after(BUDGET));
      Deadline closed = Deadline.after(SHORT);
      pair.until(closed::isExpired);
      assertFalse(fromLow.isOpen() || fromHigh.isOpen(), "nothing got through");
      firewall(false);
      pair.until(() -> fromLow.isOpen() && fromHigh.isOpen());
    }
  }

  @DataProvider
  public Object[][] reliable() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.IRDMA_RC));
  }

  /**
   * Channels are open before anything goes through their pairs. Of irdma an event says then that
   * the pair broke, as of one that breaks by itself.
   */
  @Test(dataProvider = "reliable", timeOut = 120_000)
  public void shouldSayWhatToLookAtWhenAMessageOverRcIsNotAnswered(Kind kind) {
    try (FabricPair pair = opened(kind);
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      firewall(true);
      assertTrue(pair.fromHigh.receive(1, memory, 0, SIZE));
      assertTrue(pair.fromLow.send(1, memory, 0, SIZE));
      Log log = new Log();
      String text =
          expectThrows(
                  PeerFailedException.class, () -> pair.until(() -> pair.fromLow.poll(log) < 0))
              .getMessage();
      assertTrue(text.matches("rank 0 to rank 1 over rc, channel 7 failed: .*emu-mlx5_0.*"), text);
      assertTrue(text.contains("answered none of the repeats"), text);
      assertTrue(text.contains("look at its output, at the cable and the switch"), text);
      shouldNameWhatDrops(text);
    }
  }

  private static FabricPair opened(Kind kind) {
    FabricPair pair = new FabricPair(kind, FabricPair.small());
    pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
    return pair;
  }

  private static void shouldSayWhatToLookAt(String text) {
    assertTrue(text.contains("though TCP does"), text);
    shouldNameWhatDrops(text);
  }

  private static void shouldNameWhatDrops(String text) {
    for (String hint :
        new String[] {"UDP, port 4791", "firewalls", "rdma_gid_index", "VLAN", "path MTU"}) {
      assertTrue(text.contains(hint), hint + ": " + text);
    }
  }

  private static void firewall(boolean closed) {
    EmulatedHca.set("LOSS_PERCENT", closed ? "100" : "0");
  }
}
