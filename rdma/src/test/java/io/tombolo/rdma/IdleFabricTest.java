// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A fabric on which nothing is under way says what it waits for; and when that comes, it shows. */
public final class IdleFabricTest {
  private static final int REST_MS = 50;

  /** Longer than landing takes: no moment of the protocol's own is to come before its end. */
  private static final long LONG_REST_NS = 250_000_000;

  private static final int LANDING_ROUNDS = 20;
  private static final int SIZE = 100;

  /** What the peer does. */
  private enum Event {
    LEAVES,
    DIALS,
    /** And there is no receive for it. */
    SENDS,
    /** Where messages wait at the sender, that is told to it. */
    RECEIVES;

    boolean shows(Kind kind) {
      return switch (this) {
        case LEAVES, DIALS -> true;
        case SENDS -> kind == Kind.TCP || kind == Kind.UCX;
        case RECEIVES -> kind.isLossy();
      };
    }

    void happen(FabricPair pair, TestMemory memory) {
      switch (this) {
        case LEAVES -> pair.fromLow.close();
        case DIALS ->
            pair.low.connect(1, pair.high.address(), 8, Deadline.after(FabricPair.BUDGET));
        case SENDS -> pair.fromLow.send(2, memory, 0, SIZE);
        case RECEIVES -> pair.fromLow.receive(2, memory, 0, SIZE);
      }
    }
  }

  @DataProvider
  public Object[][] kindsAndEvents() {
    return Kind.chosen(Kind.ANYWHERE).stream()
        .flatMap(
            kind ->
                List.of(Event.values()).stream()
                    .filter(event -> event.shows(kind))
                    .map(event -> new Object[] {kind, event}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "kindsAndEvents")
  public void shouldEndTheRestWhenThePeerDoesSomething(Kind kind, Event event) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0);
        NativeWaiter waiter = NativeWaiter.open()) {
      WantedRest told = settle(pair, memory);
      told.watch(waiter);
      event.happen(pair, memory);
      awaitEnd(waiter, pair.low::progress);
    }
  }

  @Test(dataProvider = "kindsAndEvents")
  public void shouldNotRestOverWhatHasComeAlready(Kind kind, Event event) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0);
        NativeWaiter waiter = NativeWaiter.open()) {
      settle(pair, memory);
      event.happen(pair, memory);
      land(pair.low);
      WantedRest told = WantedRest.of(pair.high);
      if (told.mayRest()) {
        told.watch(waiter);
        awaitEnd(waiter, () -> {}); // the peer does not repeat what it has said
      }
    }
  }

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.ANYWHERE);
  }

  @Test(dataProvider = "kinds")
  public void shouldRestWhileNothingComes(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory memory = new TestMemory(SIZE, 0, 0);
        NativeWaiter waiter = NativeWaiter.open()) {
      settle(pair, memory);
      pair.settle();
      pair.until(
          () -> {
            WantedRest told = WantedRest.of(pair.high);
            told.watch(waiter);
            return told.mayRest() && waiter.await(REST_MS) == NativeWaiter.End.TIME;
          });
    }
  }

  /** A message comes over the channel; what the higher end says once nothing is under way. */
  private static WantedRest settle(FabricPair pair, TestMemory memory) {
    Log low = new Log();
    Log high = new Log();
    assertTrue(pair.fromLow.send(1, memory, 0, SIZE));
    assertTrue(pair.fromHigh.receive(1, memory, 0, SIZE));
    pair.until(
        () -> {
          pair.fromLow.poll(low);
          pair.fromHigh.poll(high);
          return low.sent.size() + high.received.size() == 2;
        });
    AtomicReference<WantedRest> told = new AtomicReference<>();
    pair.until(
        () -> {
          boolean quiet = WantedRest.of(pair.low).mayRest();
          told.set(WantedRest.of(pair.high));
          return quiet && told.get().restNs() > LONG_REST_NS;
        });
    return told.get();
  }

  /** Has {@code peer} say what it has to say, and that arrive, on a busy machine too. */
  private static void land(Fabric peer) {
    for (int round = 0; round < LANDING_ROUNDS; round++) {
      peer.progress();
      // fixed time: asking the other side would end its rest
      LockSupport.parkNanos(WantedRest.NAP_NS);
    }
  }

  private static void awaitEnd(NativeWaiter waiter, Runnable peer) {
    Deadline deadline = Deadline.after(FabricPair.BUDGET);
    while (waiter.await(1) != NativeWaiter.End.DESCRIPTOR) {
      peer.run();
      assertFalse(deadline.isExpired(), "the rest has not ended within " + FabricPair.BUDGET);
    }
  }
}
