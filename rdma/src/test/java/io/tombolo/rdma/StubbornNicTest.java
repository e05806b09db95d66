// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.LateEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A NIC that answers EIO and says nothing else, as one does for a moment that the kernel is about
 * to take away: what belongs to channels that have ended stays, and is tried again.
 */
public final class StubbornNicTest {
  private static final Duration LONGER_THAN_PAIRS_REST = Duration.ofMillis(1200);
  private static final Duration LONGER_THAN_A_PAUSE = Duration.ofMillis(1200);
  private static final String REFUSALS = "EIO_PERCENT";
  private static final int CHANNELS = 8;
  private static final int SIZE = 50_000;

  @AfterMethod
  public void repair() {
    EmulatedHca.set(REFUSALS, "0");
  }

  /** It rests for a second, and then is to go. */
  @Test(timeOut = 120_000)
  public void shouldGoOnWithOtherChannelsWhileAPairThatHasRestedCannotBeDestroyed() {
    try (FabricPair pair = new FabricPair(Kind.EMU_UC, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      List<Channel> ended = join(pair, 100);
      deliver(pair, pair.fromLow, pair.fromHigh, memory);
      close(ended);
      pair.until(() -> ended.stream().allMatch(Channel::isQuiet));
      long resting = LateEnds.living();
      EmulatedHca.set(REFUSALS, "100");
      Deadline rest = Deadline.after(LONGER_THAN_PAIRS_REST);
      pair.until(rest::isExpired);
      deliver(pair, pair.fromLow, pair.fromHigh, memory);
      assertEquals(LateEnds.living(), resting, "what could not be destroyed");
      EmulatedHca.set(REFUSALS, "0");
      pair.until(() -> LateEnds.living() == resting - ended.size());
    }
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.PATHS3_UC));
  }

  /**
   * At each step of the way some are refused: what has gone by then must not be let go of twice.
   */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldLetGoOfAllThatWasRefusedAtFirst(Kind kind) {
    long living = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0).registered()) {
      long idle = LateEnds.living();
      List<Channel> ends = new ArrayList<>(List.of(pair.fromLow, pair.fromHigh));
      for (int id = 1; id < CHANNELS; id++) {
        ends.addAll(join(pair, 100 + id));
      }
      for (int i = 0; i < ends.size(); i += 2) {
        deliver(pair, ends.get(i), ends.get(i + 1), memory);
      }
      for (int id = 1; id <= CHANNELS; id++) {
        ends.addAll(connect(pair, 200 + id));
        pair.low.progress(); // so that each is met on another step of its way
        pair.high.progress();
      }
      assertTrue(LateEnds.living() > idle + 2 * CHANNELS, "there is little to let go of");
      EmulatedHca.set(REFUSALS, "40");
      close(ends);
      memory.freed();
      pair.until(() -> LateEnds.living() == idle);
      assertTrue(ends.stream().allMatch(Channel::isQuiet));
      EmulatedHca.set(REFUSALS, "0");
    }
    assertEquals(LateEnds.living(), living);
  }

  /** Whoever closes it is about to use the messages' memory, and is told that the NIC may, too. */
  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldGoOnWithOtherChannelsWhileOneThatHasFailedCannotBeEnded(Kind kind) {
    long living = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      deliver(pair, pair.fromLow, pair.fromHigh, memory); // so that it needs nothing new
      List<Channel> failing = joinAndFail(pair, 100, memory);
      deliver(pair, pair.fromLow, pair.fromHigh, memory);
      if (kind == Kind.EMU_RC) { // others are aborted at once only while the NIC reads messages
        failing.forEach(end -> assertThrows(FabricException.class, end::close));
      } else {
        close(failing);
      }
      EmulatedHca.set(REFUSALS, "0");
      pair.until(() -> failing.stream().allMatch(Channel::isQuiet));
    }
    assertEquals(LateEnds.living(), living);
  }

  @Test(timeOut = 120_000)
  public void shouldEndAChannelThatHasFailedOnceTheNicLetsGo() {
    try (FabricPair pair = new FabricPair(Kind.EMU_RC, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      List<Channel> failing = joinAndFail(pair, 100, memory);
      EmulatedHca.set(REFUSALS, "0");
      Deadline pause = Deadline.after(LONGER_THAN_A_PAUSE);
      pair.until(pause::isExpired);
      EmulatedHca.set(REFUSALS, "100");
      failing.forEach(Channel::close); // there is nothing left to refuse at once
      EmulatedHca.set(REFUSALS, "0");
    }
  }

  /** Two ends of one more channel, which have failed while the NIC does not let go of anything. */
  private static List<Channel> joinAndFail(FabricPair pair, long id, TestMemory memory) {
    List<Channel> ends = join(pair, id);
    deliver(pair, ends.get(0), ends.get(1), memory);
    EmulatedHca.set(REFUSALS, "100");
    assertTrue(ends.get(1).receive(1, memory, 0, SIZE));
    assertTrue(ends.get(0).send(2, memory, 0, SIZE));
    pair.until(() -> ends.stream().allMatch(StubbornNicTest::hasFailed));
    return ends;
  }

  private static boolean hasFailed(Channel channel) {
    try {
      channel.isOpen();
      return false;
    } catch (TomboloException e) {
      return true;
    }
  }

  /** Two ends of one more channel, both open. */
  private static List<Channel> join(FabricPair pair, long id) {
    List<Channel> ends = connect(pair, id);
    pair.until(() -> ends.stream().allMatch(Channel::isOpen));
    return ends;
  }

  private static List<Channel> connect(FabricPair pair, long id) {
    Deadline deadline = Deadline.after(FabricPair.BUDGET);
    return List.of(
        pair.low.connect(1, pair.high.address(), id, deadline),
        pair.high.connect(0, pair.low.address(), id, deadline));
  }

  /** Whoever closes is told if the NIC has not stopped yet. */
  private static void close(List<Channel> ends) {
    for (Channel end : ends) {
      try {
        end.close();
      } catch (FabricException e) {
        assertTrue(e.getMessage().matches("cannot abort .* queue pair .*dmesg.*"), e.getMessage());
      }
    }
  }

  private static void deliver(FabricPair pair, Channel from, Channel to, TestMemory memory) {
    Log log = new Log();
    assertTrue(to.receive(1, memory, 0, SIZE));
    assertTrue(from.send(1, memory, 0, SIZE));
    pair.until(
        () -> {
          from.poll(log);
          to.poll(log);
          return log.sent.size() + log.received.size() == 2;
        });
  }
}
