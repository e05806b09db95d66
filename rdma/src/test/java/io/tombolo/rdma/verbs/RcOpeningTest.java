// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.WakeUps;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.SlotGeometry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** An end over {@code rc} that is being connected, where the calls of others hold its own up. */
public final class RcOpeningTest {
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final Duration BUDGET = Duration.ofSeconds(60);

  /** Longer than an address may be unknown. */
  private static final Duration LONG = Duration.ofSeconds(11);

  private static final Duration NO_TIME = Duration.ZERO;
  private static final Duration SECOND = Duration.ofSeconds(1);

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("UNRESOLVED", "0");
  }

  /** No byte of the peer's tells of it. */
  @Test(timeOut = 120_000)
  public void shouldComeRoundForACallThatEndsAfterTheRound() throws IOException {
    try (TwoSides sides = new TwoSides()) {
      sides.callBehindAnother(NO_TIME);
      assertEquals(sides.restNs(), 0, "the rest");
      sides.shouldConnect();
    }
  }

  /** Then nothing more comes from it, and it sends nothing before it has heard the same of us. */
  @Test(timeOut = 120_000)
  public void shouldTellAPeerThatWasConnectedBeforeIt() throws IOException {
    try (TwoSides sides = new TwoSides()) {
      sides.callBehindAnother(NO_TIME);
      sides.connectPeer();
      sides.shouldConnect();
    }
  }

  /** The socket may have had no room for all of it. */
  @Test(timeOut = 120_000)
  public void shouldNotRestBeforeItsCardIsSaid() throws IOException {
    try (TwoSides sides = new TwoSides()) {
      assertEquals(sides.restNs(), 0, "the rest before its card is said");
      sides.callBehindAnother(NO_TIME);
      sides.shouldConnect();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNotCountForHowLongItWaitedForItsTurn() throws IOException {
    EmulatedHca.set("UNRESOLVED", "1");
    try (TwoSides sides = new TwoSides()) {
      sides.callBehindAnother(LONG);
      sides.link.progress(); // it has failed, for the first time
      sides.pass(SECOND);
      sides.callBehindAnother(NO_TIME);
      sides.shouldConnect();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNotGiveUpBeforeTheCallThatWaitsForItsTurn() throws IOException {
    EmulatedHca.set("UNRESOLVED", "1");
    try (TwoSides sides = new TwoSides()) {
      sides.callBehindAnother(NO_TIME);
      sides.link.progress(); // it has failed, for the first time
      sides.pass(SECOND);
      sides.callBehindAnother(LONG);
      sides.shouldConnect();
    }
  }

  /** An end, a peer of which no more than the card comes unless it is driven, and a clock. */
  private static final class TwoSides implements AutoCloseable {
    private final NicPort nic = Devices.openIn(0, 0);
    private final NicPort peersNic = Devices.openIn(0, 1);
    private final AtomicLong nowNs = new AtomicLong();
    private final Ticker clock =
        new Ticker() {
          @Override
          public long read() {
            return nowNs.get();
          }
        };
    private final Registrations ours = new Registrations(nic, Registrations.MOST, clock);
    private final Registrations peers = new Registrations(peersNic, Registrations.MOST, clock);
    private final CardStream toLink;
    private final CardStream toPeer;
    private final RcLink link;
    private final RcLink peer;

    TwoSides() throws IOException {
      CardStream[] sockets = CardStream.pair(true);
      toLink = sockets[0];
      toPeer = sockets[1];
      link = new RcLink(nic, toLink, SMALL, HostPinner.none(), ours, clock);
      peer = new RcLink(peersNic, toPeer, SMALL, HostPinner.none(), peers, clock);
      peer.progress();
    }

    void pass(Duration time) {
      nowNs.addAndGet(time.toNanos());
    }

    /** Has the next call made; it waits so long for its turn, and nobody has seen its end yet. */
    void callBehindAnother(Duration waiting) throws IOException {
      try (HeldResolver held = new HeldResolver(nic)) {
        link.progress();
        link.progress(); // where the first has only taken the card
        assertFalse(link.isQuiet(), "no call is under way");
        pass(waiting);
        link.progress();
      }
      until(link::isQuiet);
    }

    private static void until(BooleanSupplier condition) {
      Deadline deadline = Deadline.after(BUDGET);
      while (!condition.getAsBoolean()) {
        assertFalse(deadline.isExpired(), "nothing came of it within " + deadline);
        Thread.onSpinWait();
      }
    }

    /** The peer is connected, and has said so; our end has not heard it yet. */
    void connectPeer() throws IOException {
      Deadline deadline = Deadline.after(BUDGET);
      while (toLink.unread() == 0) {
        peer.progress();
        assertFalse(deadline.isExpired(), "the peer is not connected within " + deadline);
      }
    }

    /** The call has gone well. Before the link rests for long, the peer is told. */
    void shouldConnect() throws IOException {
      int unread = toPeer.unread();
      assertTrue(link.progress() > 0, "the round that connects it did nothing");
      assertEquals(toPeer.unread(), unread, "said already");
      assertEquals(restNs(), 0, "the rest before the peer is told");
      link.progress();
      assertEquals(toPeer.unread(), unread + 1, "what the peer is told");
      assertEquals(restNs(), Long.MAX_VALUE, "the rest, once the peer is told");
      Deadline deadline = Deadline.after(BUDGET);
      while (!peer.isReady()) {
        peer.progress();
        assertFalse(deadline.isExpired(), "the peer is not ready within " + deadline);
      }
    }

    /** For how long at most the link would have its thread rest. */
    long restNs() {
      AtomicLong rest = new AtomicLong(Long.MAX_VALUE);
      link.awaits(
          new WakeUps() {
            @Override
            public void on(int descriptor) {}

            @Override
            public void within(long delayNs) {
              rest.accumulateAndGet(delayNs, Math::min);
            }
          });
      return rest.get();
    }

    @Override
    public void close() {
      link.close();
      peer.close();
      ours.close();
      peers.close();
      nic.close();
      peersNic.close();
    }
  }
}
