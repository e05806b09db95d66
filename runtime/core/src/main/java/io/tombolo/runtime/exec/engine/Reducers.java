// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a process that combine elements, so that the agent can look after the channels
 * meanwhile. They start when there is something for them, and sleep when there is not. Slices come
 * from one thread at a time, the agent's.
 */
public final class Reducers implements AutoCloseable {
  /** More would only wait for memory. */
  private static final int MAX_THREADS = 4;

  /** Smaller pieces are combined before a thread that sleeps is awake. */
  private static final long WORTH_A_THREAD_BYTES = 64 << 10;

  private static final int SLICES = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long NAP_NS = Duration.ofSeconds(1).toNanos();
  private static final Logger LOG = LoggerFactory.getLogger(Reducers.class);

  private final HostArithmetic arithmetic = new HostArithmetic();
  private final SliceRing ring = new SliceRing(SLICES);
  private final ImmutableList<Worker> workers;
  private final long fromBytes;
  private int started;
  private volatile boolean closing;

  /** At most {@code threads}; with none, the agent does all arithmetic itself. */
  public Reducers(int threads) {
    this(threads, WORTH_A_THREAD_BYTES);
  }

  /** As the other, for steps of more than {@code fromBytes}. */
  public Reducers(int threads, long fromBytes) {
    this.fromBytes = fromBytes;
    this.workers =
        IntStream.range(0, threads)
            .mapToObj(number -> new Worker("tombolo-reducer-" + number))
            .collect(ImmutableList.toImmutableList());
  }

  /**
   * How many threads are of use to each of {@code ranks} that share {@code cores}: one core is for
   * the agent, and where none is left, a thread more would only be in its way.
   */
  public static int threadsFor(int cores, int ranks) {
    return Math.max(0, Math.min(MAX_THREADS, cores / ranks - 1));
  }

  /** How many threads have been needed so far. */
  int started() {
    return started;
  }

  /** Whether the calling thread, of whatever kind, is inside a function of the user's. */
  public boolean isInUsersFunction() {
    return arithmetic.isInUsersFunction();
  }

  /** What slices are done with, here and by who does them itself. */
  HostArithmetic arithmetic() {
    return arithmetic;
  }

  /**
   * Whether a step of {@code sizeBytes} is for these threads; else the agent does it. The user's
   * own functions always are, as nobody knows how long they take.
   */
  boolean want(long sizeBytes, boolean usersOwn) {
    return !workers.isEmpty() && (usersOwn || sizeBytes > fromBytes);
  }

  /** Hands the next slice of {@code step} to a thread; false if there is no room now. */
  boolean offer(SlicedStep step) {
    if (!ring.offer(step, step.nextSlice())) {
      return false;
    }
    step.handedOut();
    wakeOne();
    return true;
  }

  private void wakeOne() {
    for (int i = 0; i < started; i++) {
      if (workers.get(i).wakeIfIdle()) {
        return;
      }
    }
    if (started < workers.size()) {
      workers.get(started++).start();
    }
  }

  /**
   * Waits for the slices under way, and drops the rest. Who is then still at work, in a function of
   * the user's, is left behind: its operation has failed, so its memory is never freed.
   */
  @Override
  public void close() {
    closing = true;
    Deadline deadline = Deadline.after(PATIENCE);
    for (Worker worker : workers.subList(0, started)) {
      if (!worker.endsBefore(deadline)) {
        LOG.warn(
            "{} did not end within {} ms: its slice does not end; it is left behind",
            worker.thread.getName(),
            PATIENCE.toMillis());
      }
    }
  }

  private final class Worker implements Runnable {
    private final Thread thread;
    private volatile boolean idle;

    Worker(String name) {
      thread = new Thread(this, name);
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
    }

    boolean wakeIfIdle() {
      if (!idle) {
        return false;
      }
      idle = false;
      LockSupport.unpark(thread);
      return true;
    }

    boolean endsBefore(Deadline deadline) {
      LockSupport.unpark(thread);
      return Interrupts.join(thread, deadline);
    }

    @Override
    public void run() {
      while (!closing) {
        if (!ring.computeNext()) {
          rest();
        }
      }
    }

    private void rest() {
      idle = true;
      if (ring.isEmpty() && !closing) {
        LockSupport.parkNanos(NAP_NS);
      }
      idle = false;
    }
  }
}
