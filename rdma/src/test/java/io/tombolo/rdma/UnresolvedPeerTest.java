// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.LateEnds;
import io.tombolo.rdma.verbs.ResolverThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A network in which the kernel gets no answer for the address of a peer's port: the call that
 * connects a queue pair, or makes an address for datagrams, times out.
 */
public final class UnresolvedPeerTest {
  private static final String FAULT = "UNRESOLVED";
  private static final int SIZE = 50_000;

  /** At least two on one side; with pauses that grow to 16 ms. */
  private static final int A_FEW = 9;

  private static final int ALWAYS = 1_000_000_000;
  private static final String LENGTH = "UNRESOLVED_MS";
  private static final String LOSS = "LOSS_PERCENT";

  /** Of a call that fails: longer than a busy machine keeps a thread from running. */
  private static final int LONG_MS = 2500;

  private static final Duration LONGEST_ROUND = Duration.ofSeconds(2);

  /** In which each of two links at either end has a call that fails. */
  private static final Duration FOUR_CALLS = Duration.ofSeconds(11);

  private static final int MANY = 100;
  private static final Duration SHORT = Duration.ofSeconds(2);

  /** A busy machine takes seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Nobody is told on the instant when a time is over; on a busy machine, seconds later. */
  private static final long LATE_MS = 10_000;

  private static final Pattern TRIED =
      Pattern.compile("was not resolved by (\\d+) calls within (\\d+) ms, from emu-mlx5_\\d:1 ");

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set(FAULT, "0");
    EmulatedHca.set(LENGTH, "0");
    EmulatedHca.set(LOSS, "0");
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.PATHS3_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldOpenOnceTheAddressIsFound(Kind kind) {
    EmulatedHca.set(FAULT, Integer.toString(A_FEW));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Log log = new Log();
      assertTrue(pair.fromHigh.receive(1, target, 0, SIZE));
      assertTrue(pair.fromLow.send(1, source, 0, SIZE));
      pair.until(
          () -> {
            pair.fromLow.poll(log);
            pair.fromHigh.poll(log);
            return log.sent.size() + log.received.size() == 2;
          });
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  @DataProvider
  public Object[][] lossy() {
    return Kind.rows(ImmutableList.of(Kind.EMU_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "lossy", timeOut = 120_000)
  public void shouldSayWhatWasTriedWhenTheOpeningIsOver(Kind kind) {
    long living = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      EmulatedHca.set(FAULT, Integer.toString(ALWAYS));
      Channel fromLow = pair.low.connect(1, pair.high.address(), 8, Deadline.after(SHORT));
      Channel fromHigh = pair.high.connect(0, pair.low.address(), 8, Deadline.after(LIMIT));
      String text =
          expectThrows(DeadlineExceededException.class, () -> pair.until(fromLow::isOpen))
              .getMessage();
      assertTrue(text.matches("rank 0 to rank 1 over u[cd], channel 8 did not open .*"), text);
      shouldSayWhatWasTried(text, SHORT.toMillis());
      text = expectThrows(TomboloException.class, () -> pair.until(fromHigh::isOpen)).getMessage();
      assertTrue(text.matches("rank 1 to rank 0 over u[cd], channel 8 .*"), text);
      shouldSayWhatWasTried(text, LIMIT.toMillis());
      assertTrue(pair.fromLow.isOpen() && pair.fromHigh.isOpen(), "what was open");
    }
    assertEquals(LateEnds.living(), living);
  }

  /** One thread drives all of them, as a rank's does. */
  @Test(dataProvider = "lossy", timeOut = 120_000)
  public void shouldHoldUpNobodyElse(Kind kind) {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      EmulatedHca.set(LOSS, "1");
      EmulatedHca.set(LENGTH, Integer.toString(LONG_MS));
      EmulatedHca.set(FAULT, Integer.toString(ALWAYS));
      Deadline deadline = Deadline.after(FOUR_CALLS);
      List<Channel> lost = new ArrayList<>();
      for (int id = 8; id < 10; id++) {
        lost.add(pair.low.connect(1, pair.high.address(), id, deadline));
        lost.add(pair.high.connect(0, pair.low.address(), id, deadline));
      }
      Log log = new Log();
      long longestNs = 0;
      int posted = 0;
      while (!lost.stream().allMatch(UnresolvedPeerTest::hasFailed)) {
        if (log.sent.size() == posted && log.received.size() == posted) {
          assertTrue(pair.fromHigh.receive(posted, target, 0, SIZE));
          assertTrue(pair.fromLow.send(posted, source, 0, SIZE));
          posted++;
        }
        long fromNs = System.nanoTime();
        pair.low.progress();
        pair.high.progress();
        longestNs = Math.max(longestNs, System.nanoTime() - fromNs);
        pair.fromLow.poll(log);
        pair.fromHigh.poll(log);
      }
      assertTrue(longestNs < LONGEST_ROUND.toNanos(), "a round took " + longestNs + " ns");
      assertTrue(posted > MANY, "messages: " + posted);
      for (Channel channel : lost) {
        String text = expectThrows(TomboloException.class, channel::isOpen).getMessage();
        assertTrue(text.contains("was not resolved by "), text);
      }
    }
  }

  private static boolean hasFailed(Channel channel) {
    try {
      return channel.isOpen();
    } catch (TomboloException e) {
      return true;
    }
  }

  @DataProvider
  public Object[][] kindsAndLengths() {
    return Stream.of(kinds())
        .flatMap(row -> Stream.of(new Object[] {row[0], 50}, new Object[] {row[0], 900}))
        .toArray(Object[][]::new);
  }

  /** Shorter, or longer, than a fabric that closes lets its channels come to their end. */
  @Test(dataProvider = "kindsAndLengths", timeOut = 120_000)
  public void shouldCloseWhileTheKernelLooksForTheAddress(Kind kind, int lengthMs) {
    long living = LateEnds.living();
    EmulatedHca.set(LENGTH, Integer.toString(lengthMs));
    EmulatedHca.set(FAULT, Integer.toString(ALWAYS));
    try (TestMemory memory = new TestMemory(SIZE, 0, 0);
        FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      assertTrue(pair.fromHigh.receive(1, memory, 0, SIZE));
      assertTrue(pair.fromLow.send(1, memory, 0, SIZE));
      pair.until(ResolverThreads::areInACall);
      pair.fromLow.close();
    }
    assertFalse(ResolverThreads.areInACall());
    assertEquals(LateEnds.living(), living);
  }

  /** Longer than the kernel looks for an address: it is not that. */
  @Test(dataProvider = "lossy", timeOut = 120_000)
  public void shouldBlameTheDeviceWhereTheCallTakesLong(Kind kind) {
    EmulatedHca.set(LENGTH, "5100");
    EmulatedHca.set(FAULT, Integer.toString(ALWAYS));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small())) {
      pair.until(() -> hasFailed(pair.fromLow) || hasFailed(pair.fromHigh));
      Channel failed = hasFailed(pair.fromLow) ? pair.fromLow : pair.fromHigh;
      String text = expectThrows(FabricException.class, failed::isOpen).getMessage();
      assertTrue(text.contains("errno 110") && text.contains("see dmesg"), text);
    }
  }

  /**
   * Its channels are open before their pairs are connected: no deadline of an opening ends that.
   */
  @Test(timeOut = 120_000)
  public void shouldSayWhatWasTriedOverRcWhenItGivesUp() {
    EmulatedHca.set(FAULT, Integer.toString(ALWAYS));
    try (FabricPair pair = new FabricPair(Kind.EMU_RC, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      Deadline deadline = Deadline.after(LIMIT);
      assertTrue(pair.fromHigh.receive(1, memory, 0, SIZE));
      assertTrue(pair.fromLow.send(1, memory, 0, SIZE));
      String text =
          expectThrows(
                  PeerFailedException.class, () -> pair.until(() -> isOver(pair.fromLow, deadline)))
              .getMessage();
      assertTrue(text.matches("rank 0 to rank 1 over rc, channel 7 failed: .*"), text);
      shouldSayWhatWasTried(text, LIMIT.toMillis());
      text =
          expectThrows(
                  PeerFailedException.class,
                  () -> pair.until(() -> isOver(pair.fromHigh, deadline)))
              .getMessage();
      assertTrue(text.matches("rank 1 to rank 0 over rc, channel 7 failed: .*"), text);
      shouldSayWhatWasTried(text, LIMIT.toMillis());
    }
  }

  private static boolean isOver(Channel channel, Deadline deadline) {
    assertFalse(deadline.isExpired(), "nobody gives up");
    return channel.poll(new Log()) < 0;
  }

  private static void shouldSayWhatWasTried(String text, long mostMs) {
    Matcher tried = TRIED.matcher(text);
    assertTrue(tried.find(), text);
    assertTrue(Integer.parseInt(tried.group(1)) > 5, text);
    long ms = Long.parseLong(tried.group(2));
    assertTrue(ms > 0 && ms <= mostMs + LATE_MS, text);
    for (String hint : new String[] {"errno 110", "GID 10.", "ARP", "ip neigh", "ping", "VLAN"}) {
      assertTrue(text.contains(hint), hint + ": " + text);
    }
  }
}
