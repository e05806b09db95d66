// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whether an agent that naps is woken for a caller that is about to make the rounds itself. Its
 * naps are so long here that it comes only when it is woken.
 */
@Test(singleThreaded = true)
public class ExpectedCallerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration NAP = Duration.ofMinutes(10);
  private static final long LOOK_NS = 100_000;

  private static final int ATTEMPTS = 5;

  /** Takes far longer than the agent's shortest parks: if it had a core, it naps after these. */
  private static final int MANY_ROUNDS = 2000;

  @DataProvider
  public Object[][] all() {
    return new Object[][] {{Cores.OWN, false}, {Cores.ENOUGH, false}, {Cores.SCARCE, true}};
  }

  @Test(dataProvider = "all", timeOut = 120_000)
  public void shouldWakeANappingAgentOnlyWhereCoresAreScarce(Cores cores, boolean wakes)
      throws InterruptedException {
    FakeDuty duty = new FakeDuty(true);
    try (Agent agent =
        new Agent(NAP.toNanos(), NAP.toNanos(), NativeWaiter::open, cores, () -> false, () -> {})) {
      agent.add(duty);
      if (wakes) {
        haveItNap(agent, duty);
        int before = duty.rounds();
        agent.expectCaller();
        eventually(() -> duty.rounds() > before);
      } else {
        assertTrue(napsOnOnce(agent, duty), "somebody wakes it each time");
        int before = duty.rounds();
        agent.wake();
        eventually(() -> duty.rounds() > before);
      }
    }
  }

  /** An agent that had no core for so long may not have come to nap: then it is tried again. */
  private static boolean napsOnOnce(Agent agent, FakeDuty duty) throws InterruptedException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      haveItNap(agent, duty);
      int before = duty.rounds();
      agent.expectCaller();
      // fixed time: whoever was woken would have made a round by then
      Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(100));
      if (duty.rounds() == before) {
        return true;
      }
    }
    return false;
  }

  /** A caller drives until the agent naps, and leaves nothing under way. */
  private static void haveItNap(Agent agent, FakeDuty duty) throws InterruptedException {
    Gate gate = new Gate();
    Thread caller =
        new Thread(
            () -> {
              try {
                agent.await(gate, Deadline.after(LONG));
              } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts it", e);
              }
            });
    duty.isBusy(true);
    agent.wake(); // it parks only briefly from now on, and naps when it finds the caller there
    caller.start();
    eventually(() -> duty.roundsOf(caller) > MANY_ROUNDS);
    duty.isBusy(false);
    gate.open();
    caller.join();
  }

  private static void eventually(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(LONG);
    while (!condition.getAsBoolean()) {
      assertTrue(!deadline.isExpired(), "it did not come within " + LONG);
      LockSupport.parkNanos(LOOK_NS);
    }
  }
}
