// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.SlotGeometry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A reliable pair that breaks by itself, and no request has done that. */
public final class BrokenReliablePairTest {
  private static final String FIRST_PAIR = "17";
  private static final String FLUSHED =
      "a request of queue pair " + FIRST_PAIR + " on emu-mlx5_0:1 ";

  private static final Duration STEP = Duration.ofMillis(20);

  /** Longer than it waits for what is late. */
  private static final Duration WHILE = Duration.ofMillis(300);

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration BUDGET = Duration.ofSeconds(60);

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("BREAK_BY_PEER", "0");
    EmulatedHca.set("EVENT_MS", "0");
    EmulatedHca.set("BREAK_PAIR", "0");
    Devices.leaveOwnNetwork();
  }

  @DataProvider
  public Object[][] whose() {
    return new Object[][] {{false}, {true}};
  }

  /** What was flushed is seen before the event that says why. */
  @Test(dataProvider = "whose", timeOut = 120_000)
  public void shouldTellWhoseFailureItIsWhenTheEventComesLate(boolean isOfPeer) throws IOException {
    try (Sides sides = new Sides("late-" + isOfPeer)) {
      EmulatedHca.set("EVENT_MS", "50");
      EmulatedHca.set("BREAK_BY_PEER", isOfPeer ? "1" : "0");
      EmulatedHca.set("BREAK_PAIR", FIRST_PAIR);
      Class<? extends Exception> whose = isOfPeer ? IOException.class : FabricException.class;
      String why = expectThrows(whose, sides::lookOn).getMessage();
      assertTrue(why.startsWith(FLUSHED), why);
      assertTrue(why.contains("; queue pair " + FIRST_PAIR + " has failed: "), why);
    }
  }

  /** If the peer had broken the pair, there were an event. */
  @Test(timeOut = 120_000)
  public void shouldNotBlameThePeerIfThereIsNoEvent() throws IOException {
    try (Sides sides = new Sides("none")) {
      EmulatedHca.set("EVENT_MS", "100000");
      EmulatedHca.set("BREAK_PAIR", FIRST_PAIR);
      String why = expectThrows(FabricException.class, sides::lookOn).getMessage();
      assertTrue(why.startsWith(FLUSHED), why);
      assertTrue(why.contains("; see dmesg"), why);
    }
  }

  /** What tells more may come late; the process has not looked meanwhile. */
  @Test(timeOut = 120_000)
  public void shouldStillWaitForMoreAfterItStoodStill() throws IOException {
    try (Sides sides = new Sides("still")) {
      EmulatedHca.set("BREAK_PAIR", FIRST_PAIR);
      sides.lookUntilItIsSeen();
      sides.pass(LONG);
      sides.look();
      String why = expectThrows(FabricException.class, () -> sides.lookFor(WHILE)).getMessage();
      assertTrue(why.startsWith(FLUSHED), why);
      assertTrue(why.contains("; queue pair " + FIRST_PAIR + " has failed: "), why);
    }
  }

  /** Two links that are connected, the first of which has the first pair, and a clock. */
  private static final class Sides implements AutoCloseable {
    private final NicPort here;
    private final NicPort there;
    private final AtomicLong aheadNs = new AtomicLong();
    private final Ticker clock =
        new Ticker() {
          @Override
          public long read() {
            return System.nanoTime() + aheadNs.get();
          }
        };
    private final Registrations ofHere;
    private final Registrations ofThere;
    private final RcLink low;
    private final RcLink high;

    Sides(String network) throws IOException {
      Devices.enterOwnNetwork(network);
      CardStream[] sockets = CardStream.pair(true);
      here = Devices.openIn(0, 0);
      there = Devices.openIn(0, 1);
      ofHere = new Registrations(here, 1, clock);
      ofThere = new Registrations(there, 1, clock);
      low = link(here, sockets[0], ofHere);
      high = link(there, sockets[1], ofThere);
      Deadline deadline = Deadline.after(BUDGET);
      while (!low.isReady() || !high.isReady()) {
        low.progress();
        high.progress();
        assertFalse(deadline.isExpired(), "not connected within " + deadline);
      }
    }

    private RcLink link(NicPort nic, CardStream socket, Registrations registrations) {
      return new RcLink(nic, socket, SlotGeometry.DEFAULT, HostPinner.none(), registrations, clock);
    }

    void pass(Duration time) {
      aheadNs.addAndGet(time.toNanos());
    }

    /** As the fabric does where nothing happens. */
    void look() throws IOException {
      low.progress();
      assertFalse(low.isPeerGone(), "the peer is there");
    }

    /** The same until it waits for more. */
    void lookUntilItIsSeen() throws IOException {
      Deadline deadline = Deadline.after(BUDGET);
      while (!isBusy()) {
        look();
        assertFalse(deadline.isExpired(), "nothing was seen within " + deadline);
      }
    }

    private boolean isBusy() {
      AtomicBoolean busy = new AtomicBoolean();
      low.awaits(
          new WakeUps() {
            @Override
            public void on(int descriptor) {}

            @Override
            public void within(long delayNs) {
              busy.set(true);
            }
          });
      return busy.get();
    }

    /** The same until it is known why. */
    void lookOn() throws IOException {
      Deadline deadline = Deadline.after(BUDGET);
      while (!deadline.isExpired()) {
        look();
      }
    }

    /** The same while so much time passes, a little between two looks. */
    void lookFor(Duration time) throws IOException {
      for (Duration passed = Duration.ZERO;
          passed.compareTo(time) < 0;
          passed = passed.plus(STEP)) {
        pass(STEP);
        look();
      }
    }

    @Override
    public void close() {
      low.close();
      high.close();
      ofHere.close();
      ofThere.close();
      here.close();
      there.close();
    }
  }
}
