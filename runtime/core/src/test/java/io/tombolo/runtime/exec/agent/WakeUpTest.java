// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.WakeUps;
import io.tombolo.runtime.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Callers come, hand something in, wait for it or for a moment only, and go, many at once and in
 * every order; some wake the agent, others leave that to the wait. The agent rests and naps for
 * minutes unless it is woken: a wake-up that is lost is a wait that does not end.
 */
public class WakeUpTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long NAP_NS = Duration.ofMinutes(10).toNanos();
  private static final int CALLERS = 4;
  private static final int CALLS = 3_000;

  /** Ends what was handed in, one thing a round, as an executor does. */
  private static final class WorkQueue implements Duty {
    private final Queue<Gate> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final boolean prompt;
    private final Random random;

    WorkQueue(boolean prompt, long seed) {
      this.prompt = prompt;
      random = new Random(seed);
    }

    void hand(Gate gate) {
      count.incrementAndGet();
      queue.add(gate);
    }

    @Override
    public int work() {
      Gate next = queue.poll();
      if (next == null) {
        return 0;
      }
      count.decrementAndGet();
      next.open();
      return 1;
    }

    @Override
    public boolean isBusy() {
      return count.get() > 0;
    }

    @Override
    public boolean isPrompt() {
      return prompt;
    }

    /** Makes the time between the last round and the rest longer. */
    @Override
    public void awaits(WakeUps wakeUps) {
      if (random.nextInt(4) > 0) {
        LockSupport.parkNanos(random.nextInt(100_000));
      }
    }

    @Override
    public void fail(Throwable cause) {
      throw new IllegalStateException(cause);
    }
  }

  @DataProvider
  public Object[][] whoDrives() {
    return new Object[][] {{"callers", true}, {"the agent", false}};
  }

  @Test(dataProvider = "whoDrives")
  public void shouldLoseNoWakeUp(String who, boolean prompt) throws InterruptedException {
    long seed = TestSeed.drawn();
    AtomicReference<String> complaint = new AtomicReference<>();
    try (Agent agent = new Agent(NAP_NS, NAP_NS, NativeWaiter::open)) {
      WorkQueue workQueue = new WorkQueue(prompt, seed - 1);
      agent.add(workQueue);
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Random random = new Random(seed + i);
        callers.add(new Thread(() -> call(agent, workQueue, random, complaint)));
      }
      callers.forEach(Thread::start);
      for (Thread caller : callers) {
        caller.join();
      }
    }
    assertTrue(complaint.get() == null, who + ": " + complaint.get() + ", seed " + seed);
  }

  private static void call(
      Agent agent, WorkQueue workQueue, Random random, AtomicReference<String> complaint) {
    for (int call = 0; call < CALLS && complaint.get() == null; call++) {
      Gate gate = new Gate();
      workQueue.hand(gate);
      if (random.nextBoolean()) {
        agent.wake();
      }
      if (random.nextInt(4) == 0) {
        LockSupport.parkNanos(random.nextInt(400_000)); // the agent rests after some 100 µs
      }
      try {
        if (random.nextInt(3) == 0) { // an impatient caller, who comes again
          agent.await(gate, Deadline.after(Duration.ofNanos(random.nextInt(100_000))));
        }
        if (random.nextInt(50) == 0) {
          Thread.currentThread().interrupt();
        }
        agent.await(gate, Deadline.after(LIMIT));
      } catch (InterruptedException e) {
        awaitOver(gate); // nobody helps now, so whoever is left does it
      }
      if (!gate.isOver()) {
        complaint.set("call " + call + " did not end within " + LIMIT);
      }
    }
  }

  private static void awaitOver(Gate gate) {
    Deadline deadline = Deadline.after(LIMIT);
    while (!gate.isOver() && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
  }
}
