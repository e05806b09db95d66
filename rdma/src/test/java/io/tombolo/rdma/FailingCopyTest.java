// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.verbs.LateEnds;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A device that does not copy what one channel sends or receives, or does not say whether it has:
 * that is the channel's error alone.
 */
public final class FailingCopyTest {
  private static final String REFUSALS = "EIO_PERCENT";
  private static final int SIZE = 50_000;

  /** In which nobody over udp is given up for being silent. */
  private static final Duration SOON = Duration.ofSeconds(4);

  private static final Duration MOMENT = Duration.ofMillis(100);

  /** How often a device answers before it fails to. */
  private static final int ASKED = 100;

  /** Which are more packets than a fabric has slots. */
  private static final int MESSAGES = 200;

  /** Likewise, of a message each. */
  private static final int PACKETS = 3000;

  private enum Moment {
    /** The call that is to begin the copy fails. */
    AT_ONCE,
    /** The question whether it is done does. */
    LATER,
    /** As {@link #LATER}, not at once. */
    MUCH_LATER
  }

  @AfterMethod
  public void repair() {
    EmulatedHca.set(REFUSALS, "0");
  }

  @DataProvider
  public Object[][] fabrics() {
    return Kind.rows(ImmutableList.of(Kind.TCP, Kind.UDP, Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  @DataProvider
  public Object[][] kinds() {
    return Arrays.stream(fabrics())
        .flatMap(row -> Arrays.stream(Moment.values()).map(moment -> new Object[] {row[0], moment}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailTheReceiverThatItIsForAndNoOther(Kind kind, Moment moment) {
    long living = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, new Refusing(moment, new AtomicInteger(ASKED)), 0, SIZE));
      assertTrue(out.send(1, source, 0, SIZE));
      shouldFail(in, pair);
    }
    assertEquals(LateEnds.living(), living, "the NIC lets go, whatever the device does");
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailTheSenderThatItIsForAndNoOther(Kind kind, Moment moment) {
    long living = LateEnds.living();
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, target, 0, SIZE));
      assertTrue(out.send(1, new Refusing(moment, new AtomicInteger(ASKED)), 0, SIZE));
      shouldFail(out, pair);
      shouldHear(in, pair, kind == Kind.UDP ? SOON : FabricPair.BUDGET);
    }
    assertEquals(LateEnds.living(), living, "the NIC lets go, whatever the device does");
  }

  /** What is injected copies by itself; it fails no round of the others', then or later. */
  @Test(timeOut = 120_000)
  public void shouldFailTheSenderAloneBehindInjectedFaults() {
    Optional<Faults> faults = Optional.of(Faults.parse("delay=50us"));
    try (FabricPair pair = new FabricPair(Kind.UDP, FabricPair.small(), faults);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, target, 0, SIZE));
      assertTrue(out.send(1, new Refusing(Moment.LATER, new AtomicInteger()), 0, SIZE));
      shouldFail(out, pair);
      shouldGoOn(pair);
      out.close();
      shouldGoOn(pair);
    }
  }

  private static void shouldGoOn(FabricPair pair) {
    Deadline moment = Deadline.after(MOMENT);
    pair.until(moment::isExpired);
  }

  /** That only memory may be left behind does not hide a NIC that keeps more. */
  @Test(timeOut = 120_000)
  public void shouldSayAtTheEndThatTheNicDoesNotLetGo() {
    try (FabricPair pair = new FabricPair(Kind.EMU_RC, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, new Refusing(Moment.LATER, new AtomicInteger()), 0, SIZE));
      assertTrue(out.send(1, source, 0, SIZE));
      shouldFail(in, pair);
      EmulatedHca.set(REFUSALS, "100");
      FabricException error = expectThrows(FabricException.class, pair.high::close);
      EmulatedHca.set(REFUSALS, "0");
      assertTrue(error.getMessage().contains("dmesg"), error.getMessage());
    }
  }

  @Test(dataProvider = "fabrics", timeOut = 120_000)
  public void shouldHoldUpNoOtherChannelWhileACopyOutNeverEnds(Kind kind) {
    Refusing stuck = new Refusing(Moment.MUCH_LATER, new AtomicInteger(Integer.MAX_VALUE));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, target, 0, SIZE));
      assertTrue(out.send(1, stuck, 0, SIZE));
      pair.until(stuck::isAsked);
      shouldCarryAsEver(pair);
    }
  }

  @Test(dataProvider = "fabrics", timeOut = 120_000)
  public void shouldHoldUpNoOtherChannelWhileACopyInNeverEnds(Kind kind) {
    Refusing stuck = new Refusing(Moment.MUCH_LATER, new AtomicInteger(Integer.MAX_VALUE));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, stuck, 0, SIZE));
      assertTrue(out.send(1, source, 0, SIZE));
      pair.until(stuck::isAsked);
      shouldCarryAsEver(pair);
    }
  }

  /** Acknowledgements come meanwhile, more than there are slots. */
  @Test(dataProvider = "fabrics", timeOut = 120_000)
  public void shouldSendWhileACopyInNeverEnds(Kind kind) {
    Refusing stuck = new Refusing(Moment.MUCH_LATER, new AtomicInteger(Integer.MAX_VALUE));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, stuck, 0, SIZE));
      assertTrue(out.send(1, memory, 0, SIZE));
      pair.until(stuck::isAsked);
      shouldCarry(pair, in, out, memory, memory, 1, PACKETS);
    }
  }

  /** By a device that copies late. */
  private static void shouldCarryAsEver(FabricPair pair) {
    try (TestMemory source = new TestMemory(SIZE, 3, 1).fill(2);
        TestMemory target = new TestMemory(SIZE, 3, 2)) {
      shouldCarry(pair, pair.fromLow, pair.fromHigh, source, target, SIZE, MESSAGES);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  private static void shouldCarry(
      FabricPair pair,
      Channel from,
      Channel to,
      TestMemory source,
      TestMemory target,
      int sizeBytes,
      int messages) {
    Log sent = new Log();
    Log received = new Log();
    for (int message = 1; message <= messages; message++) {
      int count = message;
      assertTrue(to.receive(message, target, 0, sizeBytes));
      assertTrue(from.send(message, source, 0, sizeBytes));
      pair.until(
          () -> {
            from.poll(sent);
            to.poll(received);
            return sent.sent.size() == count && received.received.size() == count;
          });
    }
  }

  /** What is left behind then is memory. */
  @Test(dataProvider = "fabrics", timeOut = 120_000)
  public void shouldCloseBesideCopiesThatNeverEnd(Kind kind) {
    long living = LateEnds.living();
    Refusing out = new Refusing(Moment.MUCH_LATER, new AtomicInteger(Integer.MAX_VALUE));
    Refusing in = new Refusing(Moment.MUCH_LATER, new AtomicInteger(Integer.MAX_VALUE));
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      Channel there = accept(pair.high, pair.low);
      Channel here = connect(pair.low, pair.high);
      assertTrue(there.receive(1, memory, 0, SIZE));
      assertTrue(here.send(1, out, 0, SIZE));
      assertTrue(pair.fromHigh.receive(1, in, 0, SIZE));
      assertTrue(pair.fromLow.send(1, memory, 0, SIZE));
      Log log = new Log();
      pair.until(
          () -> {
            for (Channel each : List.of(here, there, pair.fromLow, pair.fromHigh)) {
              each.poll(log); // says why it comes to nothing
            }
            return out.isAsked() && in.isAsked();
          });
      pair.low.close();
      pair.high.close();
      assertFalse(here.isQuiet(), "the device may still read the message");
      assertFalse(pair.fromHigh.isQuiet(), "the device may still write the message");
    }
    assertEquals(LateEnds.living(), living, "the NIC lets go, whatever the device does");
  }

  private static Channel connect(Fabric low, Fabric high) {
    return low.connect(1, high.address(), 100, Deadline.after(FabricPair.BUDGET));
  }

  private static Channel accept(Fabric high, Fabric low) {
    return high.connect(0, low.address(), 100, Deadline.after(FabricPair.BUDGET));
  }

  /** Nobody has closed the other end yet: it says by itself that it has failed. */
  private static void shouldHear(Channel peer, FabricPair pair, Duration within) {
    Deadline deadline = Deadline.after(within);
    expectThrows(
        PeerFailedException.class,
        () -> pair.until(() -> peer.poll(new Log()) < 0 || deadline.isExpired()));
  }

  private static void shouldFail(Channel failing, FabricPair pair) {
    Log log = new Log();
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(2);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      assertTrue(pair.fromHigh.receive(1, target, 0, SIZE));
      assertTrue(pair.fromLow.send(1, source, 0, SIZE));
      pair.until(
          () -> {
            pair.fromLow.poll(log);
            pair.fromHigh.poll(log);
            return log.received.size() + log.sent.size() == 2;
          });
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
    VendorException error =
        expectThrows(VendorException.class, () -> pair.until(() -> failing.poll(log) < 0));
    assertTrue(error.getMessage().matches("rank . to rank . .*no copy.*"), error.getMessage());
  }

  /** Copies nothing. */
  private record Refusing(Moment moment, AtomicInteger answers) implements LocalMemory {
    @Override
    public long sizeBytes() {
      return SIZE;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      return copy();
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      return copy();
    }

    private long copy() {
      if (moment == Moment.AT_ONCE) {
        throw new VendorException("no copy", 1);
      }
      return 1;
    }

    boolean isAsked() {
      return answers.get() < Integer.MAX_VALUE;
    }

    /** It is not, as often as it answers. */
    @Override
    public boolean isDone(long ticket) {
      if (moment == Moment.MUCH_LATER && answers.getAndDecrement() > 0) {
        return false;
      }
      throw new VendorException("no copy", 1);
    }
  }
}
