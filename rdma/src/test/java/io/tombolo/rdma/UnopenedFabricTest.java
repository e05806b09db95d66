// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.faulty.Faults;
import java.time.Duration;
import java.util.Optional;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Channels whose NICs do not reach each other, of ranks that may use TCP, too, or may not. */
public final class UnopenedFabricTest {
  /** Its half is shorter than a silent peer is given. */
  private static final Duration SHORT = Duration.ofSeconds(6);

  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final String TCP = "tcp";
  private static final int SIZE = 50_000;

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("LOSS_PERCENT", "0");
    EmulatedHca.set("UNRESOLVED", "0");
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_UC, Kind.PATHS3_UC, Kind.EMU_UD));
  }

  /** Two ranks, and a channel between them. */
  private static final class Ranks implements AutoCloseable {
    final Fabric low;
    final Fabric high;

    Ranks(Kind kind, boolean mayHighLeave, Optional<Faults> lowFaults) {
      JobToken token = JobToken.random();
      low = kind.open(settings(0, token).leaving(true), lowFaults);
      high = kind.open(settings(1, token).leaving(mayHighLeave));
    }

    private static FabricSettings settings(int rank, JobToken token) {
      return new FabricSettings(
          rank, token, HostPinner.none(), FabricPair.small(), Ticker.systemTicker());
    }

    Channel fromLow(long id, Duration budget) {
      return low.connect(1, high.address(), id, Deadline.after(budget));
    }

    Channel fromHigh(long id, Duration budget) {
      return high.connect(0, low.address(), id, Deadline.after(budget));
    }

    /** A message from rank 0 to rank 1, posted before the channel is open. */
    void deliver(Channel fromLow, Channel fromHigh) {
      try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
          TestMemory target = new TestMemory(SIZE, 0, 0)) {
        Log log = new Log();
        assertTrue(fromHigh.receive(1, target, 0, SIZE));
        assertTrue(fromLow.send(1, source, 0, SIZE));
        FabricPair.drive(
            () -> {
              fromLow.poll(log);
              fromHigh.poll(log);
              return log.sent.size() + log.received.size() == 2;
            },
            low,
            high);
        assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      }
      assertTrue(fromLow.isOpen() && fromHigh.isOpen());
    }

    @Override
    public void close() {
      low.close();
      high.close();
    }
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldStayWithTheNicWhenItReachesThePeer(Kind kind) {
    try (Ranks ranks = new Ranks(kind, true, Optional.empty())) {
      Channel fromLow = ranks.fromLow(8, BUDGET);
      Channel fromHigh = ranks.fromHigh(8, BUDGET);
      ranks.deliver(fromLow, fromHigh);
      assertEquals(fromLow.carrier(), ranks.low.name());
      assertEquals(fromHigh.carrier(), ranks.high.name());
      assertEquals(ranks.low.instead(1), Optional.empty());
      fromHigh.close();
      TomboloException error =
          expectThrows(
              TomboloException.class,
              () ->
                  FabricPair.drive(
                      () -> fromLow.isOpen() && fromLow.poll(new Log()) < 0,
                      ranks.low,
                      ranks.high));
      assertTrue(error.getMessage().contains("over " + ranks.low.name()), error.getMessage());
    }
  }

  /** After 3 s, which may not have been enough: the next channel tries again. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoByTcpWhenAFirewallDropsWhatNicsSend(Kind kind) {
    try (Ranks ranks = new Ranks(kind, true, Optional.empty())) {
      EmulatedHca.set("LOSS_PERCENT", "100");
      Channel fromLow = ranks.fromLow(8, SHORT);
      Channel fromHigh = ranks.fromHigh(8, BUDGET);
      ranks.deliver(fromLow, fromHigh);
      shouldGoByTcp(ranks, fromLow, fromHigh, "though TCP does");
      EmulatedHca.set("LOSS_PERCENT", "0");
      fromLow = ranks.fromLow(9, BUDGET);
      fromHigh = ranks.fromHigh(9, BUDGET);
      ranks.deliver(fromLow, fromHigh);
      assertEquals(fromLow.carrier(), ranks.low.name());
      assertEquals(fromHigh.carrier(), ranks.high.name());
      assertEquals(ranks.low.instead(1), Optional.empty());
      assertEquals(ranks.high.instead(0), Optional.empty());
    }
  }

  /** After the 10 s that a silent peer is given; and at once for the next channel. */
  @Test(timeOut = 120_000)
  public void shouldNotTryAgainOnceAPeerHasNotAnswered() {
    try (Ranks ranks = new Ranks(Kind.EMU_UC, true, Optional.empty())) {
      EmulatedHca.set("LOSS_PERCENT", "100");
      Channel fromLow = ranks.fromLow(8, BUDGET);
      Channel fromHigh = ranks.fromHigh(8, BUDGET);
      ranks.deliver(fromLow, fromHigh);
      shouldGoByTcp(ranks, fromLow, fromHigh, "though TCP does");
      EmulatedHca.set("LOSS_PERCENT", "0");
      fromLow = ranks.fromLow(9, BUDGET);
      fromHigh = ranks.fromHigh(9, BUDGET);
      ranks.deliver(fromLow, fromHigh);
      shouldGoByTcp(ranks, fromLow, fromHigh, "though TCP does");
    }
  }

  /** Who hears its peer is not answered either: there is no way for only one of them. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoByTcpWhenOneDirectionIsDropped(Kind kind) {
    try (Ranks ranks = new Ranks(kind, true, Optional.of(Faults.parse("loss=100%")))) {
      Channel fromLow = ranks.fromLow(8, BUDGET);
      Channel fromHigh = ranks.fromHigh(8, SHORT);
      ranks.deliver(fromLow, fromHigh);
      shouldGoByTcp(ranks, fromLow, fromHigh, "queue pairs are connected");
    }
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoByTcpWhenAnAddressIsNotResolved(Kind kind) {
    try (Ranks ranks = new Ranks(kind, true, Optional.empty())) {
      EmulatedHca.set("UNRESOLVED", "1000000000");
      Channel fromLow = ranks.fromLow(8, SHORT);
      Channel fromHigh = ranks.fromHigh(8, SHORT);
      ranks.deliver(fromLow, fromHigh);
      shouldGoByTcp(ranks, fromLow, fromHigh, "was not resolved by");
    }
  }

  private static void shouldGoByTcp(Ranks ranks, Channel fromLow, Channel fromHigh, String why) {
    assertEquals(fromLow.carrier(), TCP);
    assertEquals(fromHigh.carrier(), TCP);
    Instead ofLow = ranks.low.instead(1).orElseThrow();
    Instead ofHigh = ranks.high.instead(0).orElseThrow();
    assertEquals(ofLow.fabric(), TCP);
    assertEquals(ofHigh.fabric(), TCP);
    assertTrue(ofLow.why().contains(why), ofLow.why());
    assertTrue(ofHigh.why().contains(why), ofHigh.why());
    assertEquals(fromHigh.receivedBytes(), SIZE);
  }

  /** Both have to allow it. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailAsBeforeWhenOneOfThemMayUseNothingElse(Kind kind) {
    try (Ranks ranks = new Ranks(kind, false, Optional.empty())) {
      EmulatedHca.set("LOSS_PERCENT", "100");
      Channel fromLow = ranks.fromLow(8, SHORT);
      Channel fromHigh = ranks.fromHigh(8, BUDGET);
      String text =
          expectThrows(
                  DeadlineExceededException.class,
                  () ->
                      FabricPair.drive(
                          () -> fromLow.isOpen() || fromHigh.isOpen(), ranks.low, ranks.high))
              .getMessage();
      assertTrue(text.contains("though TCP does"), text);
      assertFalse(ranks.low.instead(1).isPresent());
    }
  }
}
