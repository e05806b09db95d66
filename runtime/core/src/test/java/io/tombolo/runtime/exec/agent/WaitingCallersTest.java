// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Whom a caller wakes that spins before it waits. There is no agent here, but what would wake it.
 */
@Test(singleThreaded = true)
public class WaitingCallersTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(1);

  /** Far more than a spin makes on a core that others want, too. */
  private static final int MANY_ROUNDS = 10_000;

  private final AtomicInteger wakes = new AtomicInteger();
  private FakeDuty duty;
  private Round round;
  private Parker parker;
  private ProgressLock lock;

  @BeforeMethod
  public void open() {
    wakes.set(0);
    duty = new FakeDuty(true);
    round = new Round();
    round.add(duty);
    parker = new Parker(LONG.toNanos(), IdleStrategy.NAP_NS, NativeWaiter::open);
    lock = new ProgressLock(new Thread("an agent that never starts"));
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    parker.close();
  }

  private WaitingCallers callers(Cores.Looks looks) {
    return new WaitingCallers(lock, round, parker, wakes::incrementAndGet, 0, looks, () -> false);
  }

  @Test
  public void shouldLeaveItToTheWaitToWakeTheAgent() throws InterruptedException {
    WaitingCallers callers = callers(Cores.ENOUGH.looks());
    Gate gate = new Gate();
    callers.spin(duty, gate);
    assertTrue(duty.rounds() > 0);
    assertTrue(lock.isFree());
    assertEquals(wakes.get(), 0);
    callers.await(gate, Deadline.after(SHORT));
    assertEquals(wakes.get(), 1);
  }

  @Test
  public void shouldHandOverWhatIsUnderWayWhenItNeedNotWait() {
    Gate gate = new Gate();
    duty.does(gate::open);
    callers(Cores.ENOUGH.looks()).spin(duty, gate);
    assertEquals(duty.rounds(), 1);
    assertTrue(lock.isFree());
    assertEquals(wakes.get(), 1);
  }

  @Test
  public void shouldWakeTheNextCallerThoughItGoesOnToWait() {
    Gate sleeper = new Gate();
    AtomicInteger signals = new AtomicInteger();
    sleeper.onSignal(wake -> signals.incrementAndGet());
    lock.enqueue(sleeper);
    callers(Cores.ENOUGH.looks()).spin(duty, new Gate());
    assertEquals(signals.get(), 1);
    assertEquals(wakes.get(), 0);
  }

  @Test
  public void shouldMakeFewRoundsWhileThereIsNothingNewToFind() {
    duty.hasNews(false);
    callers(Cores.ENOUGH.looks()).spin(duty, new Gate());
    assertTrue(duty.rounds() > 1, "what no look shows is never found");
    assertTrue(duty.looks() >= 10 * duty.rounds(), duty.looks() + " looks");
  }

  @Test
  public void shouldMakeARoundAsSoonAsALookShowsThatThereIsSomethingToFind() {
    Gate gate = new Gate();
    duty.hasNews(false);
    gate.onLook(
        () -> {
          if (duty.looks() == 3) {
            duty.hasNews(true);
          }
        });
    duty.does(
        () -> {
          if (duty.looks() > 3) {
            gate.open();
          }
        });
    callers(Cores.ENOUGH.looks()).spin(duty, gate);
    assertTrue(gate.isOver());
    assertEquals(duty.looks(), 4);
    assertEquals(duty.rounds(), 2);
  }

  @Test
  public void shouldSpinForLongerOnACoreOfItsOwn() {
    Gate late = new Gate();
    duty.does(
        () -> {
          if (duty.rounds() == MANY_ROUNDS) {
            late.open();
          }
        });
    callers(Cores.ENOUGH.looks()).spin(duty, late);
    assertFalse(late.isOver());
    callers(new Cores.Looks(100, LONG.toNanos(), Integer.MAX_VALUE, () -> {})).spin(duty, late);
    assertTrue(late.isOver());
  }

  /** Who is waited for gets on only while the caller gives its core away. */
  @Test(timeOut = 60_000)
  public void shouldGiveItsCoreAwayBetweenLooksWhereCoresAreScarce() {
    duty.hasNews(false);
    Cores.Looks scarce = Cores.SCARCE.looks();
    Gate late = new Gate();
    AtomicInteger given = new AtomicInteger();
    Runnable giveAway =
        () -> {
          if (given.incrementAndGet() == MANY_ROUNDS) {
            late.open();
          }
        };
    callers(new Cores.Looks(scarce.least(), LONG.toNanos(), scarce.keeping(), giveAway))
        .spin(duty, late);
    assertTrue(late.isOver());
    assertEquals(given.get(), MANY_ROUNDS);
    assertEquals(duty.looks() + duty.rounds(), scarce.keeping() + MANY_ROUNDS);
  }

  @Test
  public void shouldLookForLongOnlyOnItsOwnCoreOrInTurns() {
    Cores.Looks own = Cores.OWN.looks();
    Cores.Looks enough = Cores.ENOUGH.looks();
    Cores.Looks scarce = Cores.SCARCE.looks();
    assertTrue(scarce.keeping() < 5 && scarce.least() < 5, "others want its core: " + scarce);
    assertTrue(own.keeping() > MANY_ROUNDS && enough.keeping() > MANY_ROUNDS, "nobody wants it");
    assertEquals(enough.forNs(), 0);
    // somebody who yields to another rank is given its vote sooner than it would be woken
    assertTrue(scarce.forNs() > own.forNs() && own.forNs() > 0, own + ", " + scarce);
  }
}
