// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Who makes the rounds, and what becomes of them when that one leaves. The agent's own naps are so
 * long here that it comes only when it is woken.
 */
@Test(singleThreaded = true)
public class ProgressLockTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(100);

  /** Longer than any test waits: what only the end of a nap brings comes too late. */
  private static final Duration NAP = Duration.ofMinutes(10);

  private FakeDuty duty;
  private Agent agent;

  @BeforeMethod
  public void start() {
    duty = new FakeDuty(true);
    agent = new Agent(NAP.toNanos(), NAP.toNanos(), NativeWaiter::open);
    agent.add(duty);
  }

  @AfterMethod
  public void stop() {
    agent.close();
  }

  @Test
  public void shouldHaveACallerThatWaitsMakeTheRounds() {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 100);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldHaveOneCallerDriveAndTheNextWhenThatOneLeaves() {
    Caller[] callers = {new Caller(LONG), new Caller(LONG), new Caller(LONG)};
    boolean[] hasLeft = new boolean[callers.length];
    for (int turn = 0; turn < callers.length; turn++) {
      int driver = awaitDriver(callers, hasLeft);
      for (int other = 0; other < callers.length; other++) {
        Caller sleeper = callers[other];
        if (other != driver && !hasLeft[other]) {
          eventually(() -> sleeper.gate.sleepers() == 1);
          assertEquals(sleeper.rounds(), 0);
        }
      }
      hasLeft[driver] = true;
      callers[driver].gate.open();
      assertSame(callers[driver].end(), Caller.Outcome.RETURNED);
    }
    awaitAgent();
  }

  private static int awaitDriver(Caller[] callers, boolean[] hasLeft) {
    int[] found = {-1};
    eventually(
        () -> {
          for (int i = 0; i < callers.length; i++) {
            if (!hasLeft[i] && callers[i].rounds() > 0) {
              found[0] = i;
            }
          }
          return found[0] >= 0;
        });
    return found[0];
  }

  @Test
  public void shouldHandOverWhenTheDriverRunsOutOfTime() {
    Caller first = new Caller(SHORT);
    eventually(() -> first.rounds() > 0);
    Caller second = new Caller(LONG);
    assertSame(first.end(), Caller.Outcome.RETURNED);
    eventually(() -> second.rounds() > 0);
    second.gate.open();
    assertSame(second.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldWakeTheAgentWhenTheLastCallerLeavesSomethingUnderWay() {
    Caller caller = new Caller(SHORT);
    eventually(() -> caller.rounds() > 0);
    assertSame(caller.end(), Caller.Outcome.RETURNED);
    awaitAgent();
  }

  @Test
  public void shouldSignalACallerThatCameWhileTheAgentWasLongInARound() {
    Gate inside = new Gate();
    duty.does(() -> sleep(inside));
    eventually(() -> inside.sleepers() == 1);
    Caller caller = new Caller(LONG);
    eventually(() -> caller.gate.sleepers() == 1);
    inside.open();
    eventually(() -> caller.rounds() > 0);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  /** A round is long, too, when its thread has to wait for a processor. */
  @Test
  public void shouldSignalACallerAgainThatCameInVain() {
    Gate first = new Gate();
    Gate second = new Gate();
    duty.does(() -> sleep(first));
    eventually(() -> first.sleepers() == 1);
    Caller caller = new Caller(LONG);
    eventually(() -> caller.gate.sleepers() == 1);
    caller.gate.onSignal(
        wake -> {
          duty.does(() -> sleep(second));
          new Thread(() -> wakeOnce(second, wake)).start();
        });
    first.open();
    eventually(() -> caller.gate.sleeps() == 2);
    assertEquals(caller.rounds(), 0);
    caller.gate.onSignal(Runnable::run);
    second.open();
    eventually(() -> caller.rounds() > 0);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  private static void wakeOnce(Gate somebodyIsAt, Runnable wake) {
    eventually(() -> somebodyIsAt.sleepers() == 1);
    wake.run();
  }

  @Test
  public void shouldHandOverWhenTheDriverIsInterrupted() {
    Caller first = new Caller(LONG);
    eventually(() -> first.rounds() > 0);
    Caller second = new Caller(LONG);
    eventually(() -> second.gate.sleepers() == 1);
    first.thread.interrupt();
    assertSame(first.end(), Caller.Outcome.INTERRUPTED);
    eventually(() -> second.rounds() > 0);
    second.thread.interrupt();
    assertSame(second.end(), Caller.Outcome.INTERRUPTED);
    awaitAgent();
  }

  @Test
  public void shouldNotLoseTheLockOnASleeperThatLeaves() {
    Caller driver = new Caller(LONG);
    eventually(() -> driver.rounds() > 0);
    Caller sleeper = new Caller(LONG);
    Caller last = new Caller(LONG);
    eventually(() -> sleeper.gate.sleepers() == 1 && last.gate.sleepers() == 1);
    duty.does(
        () -> {
          sleeper.gate.open(); // signalled or not, it goes
          driver.gate.open();
        });
    assertSame(driver.end(), Caller.Outcome.RETURNED);
    assertSame(sleeper.end(), Caller.Outcome.RETURNED);
    eventually(() -> last.rounds() > 0);
    last.gate.open();
    last.end();
  }

  @Test
  public void shouldTellADutyThatFailsOnTheAgentsThreadAndNotItsDriver() {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 0);
    FakeDuty faulty = new FakeDuty(true);
    IllegalStateException fault = new IllegalStateException("a fault on purpose");
    faulty.does(
        () -> {
          if (Thread.currentThread().equals(caller.thread)) {
            throw fault;
          }
        });
    agent.add(faulty);
    eventually(() -> faulty.failedOn().isPresent());
    assertSame(faulty.failure(), fault);
    assertEquals(faulty.failedOn().get().getName(), "tombolo-agent");
    int before = duty.rounds();
    eventually(() -> duty.rounds() > before);
    assertTrue(caller.thread.isAlive());
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldLeaveDutiesThatMayBlockToTheAgent() {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 0);
    FakeDuty vendors = new FakeDuty(false);
    agent.add(vendors);
    eventually(() -> vendors.rounds() > 100);
    assertEquals(vendors.roundsOf(caller.thread), 0);
    agent.remove(vendors);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldLeaveADutyToTheAgentThatComesJustBeforeACallersRound() {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 0);
    FakeDuty vendors = new FakeDuty(false);
    AtomicBoolean added = new AtomicBoolean();
    caller.gate.onLook( // the last thing a driver does before the next round
        () -> {
          if (added.compareAndSet(false, true)) {
            agent.add(vendors);
          }
        });
    eventually(() -> vendors.rounds() > 100);
    assertEquals(vendors.roundsOf(caller.thread), 0);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldKeepACallersDeadlineWhileADutyBlocks() {
    FakeDuty vendors = new FakeDuty(false);
    Gate inside = new Gate();
    vendors.does(() -> sleep(inside));
    agent.add(vendors);
    eventually(() -> inside.sleepers() == 1);
    Caller caller = new Caller(SHORT);
    assertSame(caller.end(), Caller.Outcome.RETURNED);
    assertEquals(inside.sleepers(), 1);
    inside.open();
  }

  @Test
  public void shouldRunATaskWhileACallerDrives() {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 0);
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    agent.run(() -> ranOn.set(Thread.currentThread()));
    assertEquals(ranOn.get().getName(), "tombolo-agent");
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldRunATaskThatADutyAsksForAtOnce() {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    FakeDuty asking = new FakeDuty(true);
    asking.does(() -> agent.run(() -> ranOn.set(Thread.currentThread())));
    agent.add(asking);
    Caller caller = new Caller(LONG);
    eventually(() -> caller.thread.equals(ranOn.get()));
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  @Test
  public void shouldRefuseToWaitInsideADuty() {
    FakeDuty waiting = new FakeDuty(true);
    waiting.does(() -> await(new Gate(), LONG));
    agent.add(waiting);
    eventually(() -> waiting.failedOn().isPresent());
    assertSame(waiting.failure().getClass(), UsageException.class);
  }

  @Test
  public void shouldMakeNoRoundAfterItIsClosed() throws InterruptedException {
    Caller caller = new Caller(LONG);
    eventually(() -> caller.rounds() > 0);
    agent.close();
    int before = duty.rounds();
    assertFalse(caller.gate.isOver());
    eventually(() -> caller.gate.sleepers() == 1);
    Thread.sleep(SHORT.toMillis()); // fixed time: a round too many shows only then
    assertEquals(duty.rounds(), before);
    caller.gate.open();
    assertSame(caller.end(), Caller.Outcome.RETURNED);
  }

  private void awaitAgent() {
    int before = duty.rounds();
    eventually(() -> duty.rounds() > before + 10);
  }

  private void await(Awaitable gate, Duration limit) {
    try {
      agent.await(gate, Deadline.after(limit));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void sleep(Gate gate) {
    try {
      gate.sleep(Deadline.after(LONG));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void eventually(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(LONG);
    while (!condition.getAsBoolean()) {
      assertFalse(deadline.isExpired(), "it has not come to that within " + LONG);
      Thread.onSpinWait();
    }
  }

  /** A thread that waits for a gate of its own. */
  private final class Caller {
    enum Outcome {
      RETURNED,
      INTERRUPTED,
      THREW
    }

    private final Gate gate = new Gate();
    private final AtomicReference<Outcome> outcome = new AtomicReference<>();
    private final Thread thread;

    Caller(Duration limit) {
      thread = new Thread(() -> outcome.set(wait(limit)), "a caller");
      thread.setDaemon(true);
      thread.start();
    }

    private Outcome wait(Duration limit) {
      try {
        agent.await(gate, Deadline.after(limit));
        return Outcome.RETURNED;
      } catch (InterruptedException e) {
        return Outcome.INTERRUPTED;
      } catch (RuntimeException e) {
        return Outcome.THREW;
      }
    }

    int rounds() {
      return duty.roundsOf(thread);
    }

    /** How the wait ended, once it has. */
    Outcome end() {
      eventually(() -> outcome.get() != null);
      return outcome.get();
    }
  }
}
