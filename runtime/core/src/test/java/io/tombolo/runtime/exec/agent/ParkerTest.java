// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What ends the agent's park. It is minutes long here: what does not end it fails a test. */
@Test(singleThreaded = true)
public class ParkerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final long MINUTES_NS = Duration.ofMinutes(10).toNanos();
  private static final long POLL_NS = 100_000;

  private final AtomicInteger read = new AtomicInteger();
  private FakeDuty duty;
  private Pipe pipe;
  private Agent agent;

  @BeforeMethod
  public void open() throws IOException {
    pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    duty = new FakeDuty(true);
    duty.isBusy(false);
    read.set(0);
  }

  @AfterMethod(alwaysRun = true)
  public void close() throws IOException {
    if (agent != null) {
      agent.close();
      agent = null;
    }
    pipe.source().close();
    pipe.sink().close();
  }

  private void start() {
    agent = new Agent(IdleStrategy.NAP_NS, MINUTES_NS, NativeWaiter::open);
    agent.add(duty);
  }

  @Test
  public void shouldParkUntilADescriptorCanBeRead() {
    duty.does(this::readPipe);
    duty.awaits(wakeUps -> wakeUps.on(descriptor()));
    start();
    for (int byteNumber = 1; byteNumber <= 3; byteNumber++) {
      awaitPark();
      assertEquals(read.get(), byteNumber - 1);
      writePipe();
      int expected = byteNumber;
      eventually(() -> read.get() == expected);
    }
  }

  @Test
  public void shouldNotMissWhatComesBetweenTheLastRoundAndThePark() {
    duty.does(this::readPipe);
    duty.awaits(
        wakeUps -> {
          wakeUps.on(descriptor());
          if (read.get() < 10) {
            writePipe();
          }
        });
    start();
    eventually(() -> read.get() == 10);
  }

  @Test
  public void shouldNotMissWhoUnparksBetweenTheLastRoundAndThePark() {
    AtomicInteger handedIn = new AtomicInteger();
    duty.does(() -> read.set(handedIn.get()));
    duty.awaits(
        wakeUps -> {
          if (handedIn.get() < 10) {
            handedIn.incrementAndGet();
            agent.wake();
          }
        });
    start();
    agent.wake();
    eventually(() -> read.get() == 10);
  }

  @Test
  public void shouldEndTheParkWhenATimerRunsOut() {
    long start = System.nanoTime();
    AtomicReference<Long> late = new AtomicReference<>();
    long timerNs = start + SHORT.toNanos();
    duty.does(
        () -> {
          if (System.nanoTime() >= timerNs) {
            late.compareAndSet(null, System.nanoTime() - timerNs);
          }
        });
    duty.awaits(
        wakeUps -> {
          if (late.get() == null) {
            wakeUps.within(Math.max(0, timerNs - System.nanoTime()));
          }
        });
    start();
    eventually(() -> late.get() != null);
  }

  @Test
  public void shouldKeepMakingRoundsWhereADutyCannotSayWhatItWaitsFor() {
    duty.awaits(
        wakeUps -> {
          wakeUps.on(descriptor());
          wakeUps.soon();
        });
    start();
    awaitAskedAgain(100);
  }

  @Test
  public void shouldNapWhereThereIsNothingToParkIn() {
    agent =
        new Agent(
            IdleStrategy.NAP_NS,
            MINUTES_NS,
            () -> {
              throw new UnavailableException("no epoll, on purpose");
            });
    agent.add(duty);
    int before = duty.rounds();
    eventually(() -> duty.rounds() > before + 1000);
    assertEquals(duty.asked(), 0);
  }

  @Test
  public void shouldNapFromThenOnWhenTheWaiterFails() {
    duty.awaits(wakeUps -> wakeUps.on(-1));
    start();
    eventually(() -> duty.asked() == 1);
    int before = duty.rounds();
    eventually(() -> duty.rounds() > before + 1000);
    assertEquals(duty.asked(), 1);
  }

  @Test
  public void shouldEndTheParkForATaskAndForTheEnd() {
    start();
    awaitPark();
    AtomicInteger done = new AtomicInteger();
    agent.run(done::incrementAndGet);
    assertEquals(done.get(), 1);
    awaitPark();
    Deadline deadline = Deadline.after(LONG);
    agent.close();
    assertFalse(deadline.isExpired());
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().equals("tombolo-agent") && thread.isAlive()));
  }

  @Test
  public void shouldAskAgainWhenACallerHasMadeRoundsMeanwhile() throws InterruptedException {
    start();
    awaitPark();
    int before = duty.asked();
    Gate gate = new Gate();
    agent.await(gate, Deadline.after(SHORT)); // nothing is under way, so nobody is woken for that
    assertTrue(duty.roundsOf(Thread.currentThread()) > 0);
    eventually(() -> duty.asked() > before);
  }

  @Test
  public void shouldNotBeKeptAwakeByADescriptorThatNobodyReads() {
    duty.awaits(wakeUps -> wakeUps.on(descriptor()));
    writePipe();
    Round round = new Round();
    round.add(duty);
    int before = duty.asked();
    try (Parker parker = new Parker(MINUTES_NS, IdleStrategy.NAP_NS, NativeWaiter::open)) {
      for (int turn = 0; turn < 10; turn++) { // a park, then a nap
        parker.beginRound();
        assertEquals(round.run(), 0);
        parker.prepare(round);
        parker.park();
        assertEquals(duty.asked() - before, turn / 2 + 1);
      }
    }
  }

  private void readPipe() {
    try {
      read.addAndGet(pipe.source().read(ByteBuffer.allocate(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writePipe() {
    try {
      assertEquals(pipe.sink().write(ByteBuffer.allocate(1)), 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int descriptor() {
    return NativeWaiter.descriptorOf(pipe.source()).orElseThrow();
  }

  /** Until no round has been made for a while. */
  private void awaitPark() {
    eventually(
        () -> {
          int before = duty.rounds();
          sleep(SHORT);
          return duty.asked() > 0 && duty.rounds() == before;
        });
  }

  private void awaitAskedAgain(int times) {
    int before = duty.asked();
    eventually(() -> duty.asked() > before + times);
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis()); // fixed time: no round "for a while" is what is asked for
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void eventually(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(LONG);
    while (!condition.getAsBoolean()) {
      assertFalse(deadline.isExpired(), "it has not come to that within " + LONG);
      LockSupport.parkNanos(POLL_NS);
    }
  }
}
