// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.TestMemory;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * A port that is closed, and opened again while a write to it is under way, as by a process that
 * leaves a job and joins another: the device gives the same keys again, and the same numbers to
 * queue pairs, unless those of before rest.
 */
public final class ClosedPortTest {
  private static final int SIZE = 1000;
  private static final int ROUNDS = 10;
  private static final Duration LATE = Duration.ofMillis(600);
  private static final Duration LATER = LATE.plusMillis(200);

  @BeforeMethod
  public void beAlone() {
    Devices.enterOwnNetwork();
  }

  @AfterMethod(alwaysRun = true)
  public void asBefore() {
    strays(0);
    EmulatedHca.set("EIO_PERCENT", "0");
    LateEnds.hasten();
    Devices.leaveOwnNetwork();
  }

  @Test(timeOut = 180_000)
  public void shouldTakeNoWriteThatWasForAPortBeforeIt() {
    int round = 1;
    while (!wasOpenAgainInTime()) {
      assertTrue(round++ < ROUNDS, "nothing was under way any more, " + ROUNDS + " times");
      LateEnds.hasten();
    }
  }

  /**
   * Both channels' first message, to the first slot under its first key.
   *
   * @return false if the machine was so busy that the late write came before the second port
   */
  private static boolean wasOpenAgainInTime() {
    try (TestMemory old = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory young = new TestMemory(SIZE, 0, 0).fill(2);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UC, 0)) {
      Deadline arrives;
      List<Integer> pairsOfOld;
      try (LossySide high = new LossySide(PairType.UC, 1)) {
        LossySide.Ends ends = low.join(high);
        pairsOfOld = ends.receiver().pairs();
        assertTrue(ends.there().receive(0, target, 0, SIZE));
        LossySide.until(() -> high.port.slab().slotsInUse() == 1, low, high);
        arrives = sendLate(ends, old, low, high);
      }
      low.end();
      try (LossySide high = new LossySide(PairType.UC, 1)) {
        LossySide.Ends ends = low.join(high);
        assertTrue(ends.there().receive(0, target, 0, SIZE));
        LossySide.until(() -> high.port.slab().slotsInUse() == 1, low, high);
        if (arrives.isExpired()) {
          return false;
        }
        Deadline later = Deadline.after(LATER);
        LossySide.until(later::isExpired, low, high);
        assertFalse(ends.there().receives().hasUnreported(), "it has what nobody has sent");
        assertTrue(ends.here().send(0, young, 0, SIZE));
        LossySide.until(ends.there().receives()::hasUnreported, low, high);
        assertEquals(target.get(0, SIZE), young.get(0, SIZE));
        assertFalse(pairsOfOld.contains(ends.receiver().pairs().get(0)), "a number is back");
        return true;
      }
    }
  }

  /** Until when the writes of a message are under way. */
  private static Deadline sendLate(
      LossySide.Ends ends, TestMemory source, LossySide low, LossySide high) {
    strays(100);
    Deadline arrives = Deadline.after(LATE);
    assertTrue(ends.here().send(0, source, 0, SIZE));
    LossySide.until(() -> ends.sender().protocolCounters().orElseThrow().chunksSent > 0, low, high);
    LossySide.until(() -> low.port.outgoing().isEmpty(), low, high);
    strays(0);
    return arrives;
  }

  private static void strays(int percent) {
    EmulatedHca.set("STRAY_US", Long.toString(LATE.toNanos() / 1000));
    EmulatedHca.set("STRAY_PERCENT", Integer.toString(percent));
  }

  @Test(timeOut = 180_000)
  public void shouldKeepNobodyWaitingAndLeaveNothingBehind() {
    long living = LateEnds.living();
    LossySide low = new LossySide(PairType.UC, 0);
    LossySide high = new LossySide(PairType.UC, 1);
    LossySide.Ends ends = low.join(high);
    LossySide.until(() -> ends.sender().isReady() && ends.receiver().isReady(), low, high);
    low.close();
    assertEquals(LateEnds.threads().size(), 1, "to close took as long as pairs rest");
    high.close();
    assertFalse(LateEnds.threads().isEmpty(), "to close took as long as pairs rest");
    EmulatedHca.set("EIO_PERCENT", "60"); // what is refused is tried again
    assertEquals(LateEnds.living(), living);
  }

  @Test(timeOut = 180_000)
  public void shouldCloseAtOnceWhatHasNothingThatRests() {
    long living = LateEnds.living();
    new LossySide(PairType.UC, 0).close();
    assertEquals(EmulatedHca.living(), living);
  }
}
