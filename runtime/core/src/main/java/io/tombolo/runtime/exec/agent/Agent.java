// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What moves bytes in a process: it takes its duties forward round and round, and idles when none
 * has work. A thread of its own does so, or, while it waits, a caller that has taken the {@link
 * ProgressLock}.
 *
 * <p>A duty that throws is told so and dropped; the others go on. Duties may be added and removed
 * by any thread.
 */
public final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final Duration CLOSING = Duration.ofSeconds(5);

  /** Should something not tell that it has come, it is looked for so often. */
  private static final Duration MAX_PARK = Duration.ofSeconds(1);

  private final Thread thread;
  private final long napNs;
  private final Cores cores;
  private final Round round = new Round();
  private final Parker parker;
  private final ProgressLock progressLock;
  private final WaitingCallers callers;
  private final Watchdog watchdog;
  private volatile boolean running = true;

  /**
   * Starts the thread.
   *
   * @param cores which core callers have to wait on
   * @param inUsersFunction whether the thread that asks is inside a function of the user's, on
   *     which operations depend
   * @param first what the thread does before all else; throws nothing
   */
  public Agent(Cores cores, BooleanSupplier inUsersFunction, Runnable first) {
    this(
        IdleStrategy.NAP_NS, MAX_PARK.toNanos(), NativeWaiter::open, cores, inUsersFunction, first);
  }

  /** As the other, where cores are scarce. */
  public Agent(BooleanSupplier inUsersFunction) {
    this(Cores.SCARCE, inUsersFunction, () -> {});
  }

  /** As the other, where no user's functions are called. */
  Agent(long napNs, long maxParkNs, Supplier<NativeWaiter> opener) {
    this(napNs, maxParkNs, opener, Cores.SCARCE, () -> false, () -> {});
  }

  /**
   * Starts the thread.
   *
   * @param napNs how long it naps if nobody wakes it
   * @param maxParkNs how long it parks at most, while all duties say what they wait for
   * @param opener opens what it parks in
   * @param cores which core callers have to wait on
   */
  Agent(
      long napNs,
      long maxParkNs,
      Supplier<NativeWaiter> opener,
      Cores cores,
      BooleanSupplier inUsersFunction,
      Runnable first) {
    this.napNs = napNs;
    this.cores = cores;
    parker = new Parker(maxParkNs, napNs, opener);
    thread =
        new Thread(
            () -> {
              first.run();
              run();
            },
            "tombolo-agent");
    progressLock = new ProgressLock(thread);
    callers =
        new WaitingCallers(
            progressLock,
            round,
            parker,
            this::unparkAgent,
            cores.spinNs(),
            cores.looks(),
            inUsersFunction);
    watchdog = new Watchdog(round, progressLock::driver);
    thread.setDaemon(true);
    try {
      watchdog.start();
      thread.start();
    } catch (OutOfMemoryError e) { // there are no more threads
      watchdog.close();
      parker.close();
      throw e;
    }
  }

  /** Takes {@code duty} on. */
  public void add(Duty duty) {
    round.add(duty);
    wake();
  }

  /**
   * Ends a park early: there is something to do. A caller that drives parks for microseconds only.
   */
  public void wake() {
    if (!parker.unpark() && !progressLock.isWithCaller()) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * There is something to do that the calling thread is about to {@linkplain #await wait} for: it
   * makes the rounds itself then. Should it not come, the agent looks after a nap. Where ranks
   * outnumber cores this is {@link #wake}: a caller that yields its core to another rank may not
   * have it back for long, but who is woken gets one soon. An emulated device works for moments
   * only, and an agent that is woken takes a core from it.
   */
  public void expectCaller() {
    if (cores != Cores.SCARCE) {
      parker.unpark();
    } else {
      wake();
    }
  }

  /**
   * There is something to do that others see to, as a rule: the agent is to look at it now and
   * then, a nap later for example. Wakes it from longer sleep only.
   */
  public void notice() {
    boolean unused = parker.unpark();
  }

  /**
   * Runs {@code step} on the calling thread in the place of a round, so that nobody else makes one
   * meanwhile; false if somebody does. It waits for nothing and throws nothing.
   */
  public boolean step(Runnable step) {
    return callers.step(step);
  }

  private void unparkAgent() {
    parker.unpark();
    LockSupport.unpark(thread);
  }

  /** Lets go of {@code duty}; a round under way may still reach it. */
  public void remove(Duty duty) {
    round.removeIf(duty::equals);
  }

  /**
   * Runs {@code task} on the agent's thread and waits for its end; on another thread it would race
   * with the duties. A duty may call this too: {@code task} then runs at once. What it throws is
   * thrown here.
   */
  public void run(Runnable task) {
    if (progressLock.isMine()) {
      task.run();
      return;
    }
    AgentTask agentTask = new AgentTask(task);
    add(agentTask);
    agentTask.await(watchdog::stuckRound);
  }

  /**
   * For calls that wait for other ranks.
   *
   * @throws UsageException inside a duty or a function of the user's: what it would wait for goes
   *     on only when that returns
   */
  public void requireMayWait() {
    callers.requireMayWait();
  }

  /**
   * Waits until {@code awaited} is over or {@code deadline} has expired; makes the rounds itself
   * meanwhile, if it can.
   */
  public void await(Awaitable awaited, Deadline deadline) throws InterruptedException {
    callers.await(awaited, deadline);
  }

  /**
   * Takes {@code duty} forward, and nothing else, until {@code awaited} is over; gives up after
   * some 10 microseconds, 60 with a core of its own, 200 in which it yields where cores are scarce,
   * and at once if another thread makes the rounds. What is nearly there needs no rounds. For
   * callers that {@linkplain #await await} it next if it is not over: the agent is not woken before
   * that.
   */
  public void spin(Duty duty, Awaitable awaited) {
    callers.spin(duty, awaited);
  }

  /** The longest a round has taken so far. */
  public long longestCycleNs() {
    return round.longestNs();
  }

  /**
   * Stops the thread and waits for the last round to end, whoever makes it; duties still held are
   * dropped.
   */
  @Override
  public void close() {
    running = false;
    watchdog.close();
    progressLock.beginClose();
    unparkAgent();
    Deadline deadline = Deadline.after(CLOSING);
    if (!Interrupts.join(thread, deadline) || !progressLock.keep(deadline)) {
      LOG.warn("the agent did not end within 5 s: a vendor call is stuck; it is left behind");
    }
  }

  private void run() {
    IdleStrategy idleStrategy = new IdleStrategy();
    while (running) {
      if (progressLock.takeForAgent()) {
        IdleStrategy.Mode mode = makeRound(idleStrategy);
        callers.afterRoundOfAgent(mode != IdleStrategy.Mode.NONE);
        idle(mode);
      } else {
        away().idle(napNs);
      }
    }
    parker.close();
  }

  /** How to let time pass while another thread has the lock. */
  private IdleStrategy.Mode away() {
    return progressLock.isForStep() ? IdleStrategy.Mode.YIELD : IdleStrategy.Mode.PARK;
  }

  private IdleStrategy.Mode makeRound(IdleStrategy idleStrategy) {
    try {
      parker.beginRound();
      int done = round.run();
      round.settle();
      if (done > 0) {
        parker.onWork();
      }
      IdleStrategy.Mode mode =
          idleStrategy.after(done, round.wasBusy(), round.startNs(), round.endNs());
      if (mode == IdleStrategy.Mode.PARK) {
        parker.prepare(round);
      }
      return mode;
    } finally {
      progressLock.release();
    }
  }

  private void idle(IdleStrategy.Mode mode) {
    if (mode != IdleStrategy.Mode.PARK) {
      mode.idle(napNs);
    } else if (running) { // looked at after the round began, as all that somebody unparks for
      parker.park();
    }
  }
}
