// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.TestMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A queue pair that breaks by itself, which an event tells of. What is posted to it is flushed, and
 * that says nothing. It is this rank's own failure, whatever its peers see of it.
 */
public final class BrokenPairTest {
  /** Of which one looks at the events. */
  private static final int ROUNDS = 100;

  private static final int SIZE = 20_000;

  private static final Duration BUDGET = Duration.ofSeconds(60);

  /** Longer than an event may be late. */
  private static final Duration WHILE = Duration.ofSeconds(2);

  @BeforeMethod
  public void beAlone() {
    Devices.enterOwnNetwork();
  }

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("BREAK_BY_PEER", "0");
    EmulatedHca.set("EVENT_MS", "0");
    EmulatedHca.set("BREAK_PAIR", "0");
    EmulatedHca.set("FAIL_RECEIVE_AT", "0");
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
      int broken = link.pairs().get(0);
      breakDown(broken);
      String why = expectThrows(FabricException.class, () -> look(link)).getMessage();
      assertTrue(why.startsWith("emu-mlx5_0:1 "), why);
      assertTrue(why.contains(": " + cause(broken)), why);
      look(other);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhyRequestsAreFlushed() throws IOException {
    try (TestMemory source = new TestMemory(SIZE, 0, 0);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossySide.Ends ends = low.join(high);
      LossyLink other = low.join(high).sender();
      LossySide.until(() -> ends.sender().isReady() && other.isReady(), low, high);
      int broken = ends.sender().pairs().get(0);
      breakDown(broken);
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      String why =
          expectThrows(FabricException.class, () -> LossySide.until(() -> false, low, high))
              .getMessage();
      shouldBeOfAFlush(why, "a request", broken);
      look(other);
    }
  }

  /** Its receives are flushed, and would be again if they were posted again. */
  @Test(timeOut = 120_000)
  public void shouldTellAllLinksWhenThePairOfAllDatagramsBreaks() {
    try (LossySide low = new LossySide(PairType.UD, 0);
        LossySide high = new LossySide(PairType.UD, 1)) {
      LossyLink link = low.join(high).sender();
      LossyLink other = low.join(high).sender();
      LossySide.until(() -> link.isReady() && other.isReady(), low, high);
      int broken = low.port.datagrams().pair().number();
      breakDown(broken);
      low.progressPort();
      for (LossyLink each : List.of(link, other)) {
        String why =
            expectThrows(FabricException.class, () -> LossySide.progress(each)).getMessage();
        shouldBeOfAFlush(why, "a receive", broken);
      }
    }
  }

  /** And not only that others were flushed because of it. */
  @Test(timeOut = 120_000)
  public void shouldTellAllLinksWhatFailedTheReceiveOfADatagram() {
    try (TestMemory source = new TestMemory(SIZE, 0, 0);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UD, 0);
        LossySide high = new LossySide(PairType.UD, 1)) {
      LossySide.Ends ends = low.join(high);
      LossyLink other = low.join(high).sender();
      LossySide.until(() -> ends.sender().isReady() && other.isReady(), low, high);
      EmulatedHca.set("FAIL_RECEIVE_AT", "1"); // of what the peer answers
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      assertThrows(FabricException.class, () -> LossySide.until(() -> false, low, high));
      int broken = low.port.datagrams().pair().number();
      for (LossyLink each : List.of(ends.sender(), other)) {
        String why =
            expectThrows(FabricException.class, () -> LossySide.progress(each)).getMessage();
        assertTrue(why.startsWith("a receive of queue pair " + broken + " on emu-mlx5_0:1 "), why);
        assertTrue(why.contains(" failed: local protection error (raw code 4, "), why);
        assertTrue(why.contains("; " + cause(broken)), why);
      }
    }
  }

  @DataProvider
  public Object[][] unreliable() {
    return new Object[][] {{PairType.UC}, {PairType.UD}};
  }

  /** The event that says so may come after what was flushed. */
  @Test(dataProvider = "unreliable", timeOut = 120_000)
  public void shouldNotBlameThePeerBeforeTheEventComes(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1);
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = low.join(high);
      LossySide.until(ends.sender()::isReady, low, high);
      QueuePair broken = ends.sender().laneFor(false).pair();
      broken.abort(); // of which no event tells
      assertTrue(ends.here().send(0, source, 0, SIZE));
      String why =
          expectThrows(FabricException.class, () -> LossySide.until(() -> false, low, high))
              .getMessage();
      assertTrue(why.contains(" of queue pair " + broken.number() + " on emu-mlx5_0:1 "), why);
      assertTrue(why.contains(" failed: work request flushed (raw code 5, "), why);
      assertTrue(why.contains("; see dmesg"), why);
    }
  }

  /** Of this rank's own pair, or of one that its peer has broken. */
  @DataProvider
  public Object[][] unreliableOfBoth() {
    return new Object[][] {
      {PairType.UC, false}, {PairType.UC, true}, {PairType.UD, false}, {PairType.UD, true}
    };
  }

  @Test(dataProvider = "unreliableOfBoth", timeOut = 120_000)
  public void shouldTellWhoseFailureItIsWhenTheEventComesLate(PairType type, boolean isOfPeer) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1);
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = low.join(high);
      LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
      int broken = ends.sender().laneFor(false).pair().number();
      EmulatedHca.set("EVENT_MS", "50");
      EmulatedHca.set("BREAK_BY_PEER", isOfPeer ? "1" : "0");
      breakDown(broken);
      assertTrue(ends.here().send(0, source, 0, SIZE));
      if (isOfPeer) {
        UncheckedIOException error =
            expectThrows(UncheckedIOException.class, () -> LossySide.until(() -> false, low, high));
        String why = error.getCause().getMessage(); // which becomes the peer's
        assertTrue(why.contains(" failed: work request flushed (raw code 5, "), why);
        assertTrue(why.contains("; queue pair " + broken + " has failed: "), why);
      } else {
        String why =
            expectThrows(FabricException.class, () -> LossySide.until(() -> false, low, high))
                .getMessage();
        assertTrue(why.contains(" failed: work request flushed (raw code 5, "), why);
        assertTrue(why.contains("; " + cause(broken)), why);
      }
    }
  }

  /** The process has not looked meanwhile. */
  @Test(dataProvider = "unreliable", timeOut = 120_000)
  public void shouldStillWaitForTheEventAfterItStoodStill(PairType type) {
    try (LossySide low = new LossySide(type, 0);
        LossySide high = new LossySide(type, 1);
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = low.join(high);
      LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
      ends.sender().laneFor(false).pair().abort(); // of which no event tells
      assertTrue(ends.here().send(0, source, 0, SIZE));
      low.until(() -> ends.sender().failure().isThere());
      low.progress();
      low.pass(BUDGET);
      low.progress();
      low.pass(WHILE);
      String why = expectThrows(FabricException.class, () -> low.live(WHILE)).getMessage();
      assertTrue(why.contains("; see dmesg"), why);
    }
  }

  /** A peer that leaves meanwhile may do so because of that. */
  @Test(timeOut = 120_000)
  public void shouldNotSayThatThePeerHasGoneBeforeItIsKnown() throws IOException {
    CardStream[] sockets = CardStream.pair(true);
    try (LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1);
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      LossySide.Ends ends = low.join(high, sockets);
      LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
      ends.sender().laneFor(false).pair().abort(); // of which no event tells
      assertTrue(ends.here().send(0, source, 0, SIZE));
      sockets[1].close();
      Deadline deadline = Deadline.after(BUDGET);
      String why =
          expectThrows(
                  FabricException.class,
                  () -> {
                    while (!deadline.isExpired()) {
                      low.progress();
                      look(ends.sender());
                    }
                  })
              .getMessage();
      assertTrue(why.contains("; see dmesg"), why);
    }
  }

  private static void shouldBeOfAFlush(String why, String what, int broken) {
    assertTrue(why.startsWith(what + " of queue pair " + broken + " on emu-mlx5_0:1 "), why);
    assertTrue(why.contains(" failed: work request flushed (raw code 5, "), why);
    assertTrue(why.contains("; " + cause(broken)), why);
  }

  private static String cause(int broken) {
    return "queue pair " + broken + " has failed: queue pair broken (see dmesg)";
  }

  private static void breakDown(int number) {
    EmulatedHca.set("BREAK_PAIR", Integer.toString(number));
  }

  /** As the fabric does where nothing happens. */
  private static void look(LossyLink link) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      assertFalse(link.isPeerGone(), "the peer is there");
    }
  }
}
