// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.LateEnds;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final Duration SHORT = Duration.ofSeconds(2);

  /** A busy machine takes seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static final Pattern TRIED =
      Pattern.compile("was not resolved by (\\d+) calls within (\\d+) ms, from emu-mlx5_\\d:1 ");

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set(FAULT, "0");
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
    assertTrue(ms > 0 && ms < mostMs, text);
    for (String hint : new String[] {"errno 110", "GID 10.", "ARP", "ip neigh", "ping", "VLAN"}) {
      assertTrue(text.contains(hint), hint + ": " + text);
    }
  }
}
