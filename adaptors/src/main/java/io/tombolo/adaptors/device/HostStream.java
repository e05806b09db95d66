// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.ResourceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * A stream of the host "device": a queue with one daemon thread that runs it in order.
 *
 * <p>To wake a thread takes longer than most of what streams are used for. So short work on a
 * stream with nothing before it runs at once, on the thread that queues it, and a wait that nothing
 * is queued behind occupies no thread: whoever comes next looks whether it is over.
 *
 * <p>Work that throws makes the stream failed: what is queued behind it never runs, and {@link
 * #isIdle} throws the error. After {@link #close} has returned the stream touches no memory any
 * more, except inside a {@link #enqueue}d task that is still running: such a task cannot be
 * stopped, its thread is left behind and ends with it.
 *
 * <p>A stream {@link #ofCaller} has no thread: what is queued runs at once, on the thread that
 * queues it, and throws there.
 */
public final class HostStream implements Stream {
  /** More than any plan queues; a stream that is this far behind is stuck. */
  private static final int CAPACITY = 1 << 16;

  /** Memory work up to here is short: done before a thread would have woken, or soon after. */
  private static final long SHORT_BYTES = 64 << 10;

  /** What the queue holds. */
  interface Work {
    /** Does it, on the stream's thread. */
    void run();

    /**
     * Called instead of {@link #run} when an earlier failure or {@link HostStream#close} makes it
     * pointless.
     */
    default void abandon(Throwable cause) {}
  }

  private static final Work END = () -> {};

  private final BlockingQueue<Work> queue = new LinkedBlockingQueue<>(CAPACITY);
  private final AtomicLong unfinished = new AtomicLong();

  /** A wait behind all that is queued, while nothing is queued behind it; null if there is none. */
  private final AtomicReference<BooleanSupplier> lastWait = new AtomicReference<>();

  /**
   * Held while work is put behind what is there, or done in its place: threads that share the
   * stream do not overtake each other.
   */
  private final Object order = new Object();

  /** Held while the stream's own work touches memory, so that close can wait for exactly that. */
  private final Object touching = new Object();

  private final StreamFailure failure = new StreamFailure();
  private final boolean hasThread;
  private volatile boolean closed;

  private HostStream(boolean hasThread) {
    this.hasThread = hasThread;
  }

  /** A stream that is its caller's thread, for callers that have waited for what comes before. */
  public static HostStream ofCaller() {
    return new HostStream(false);
  }

  /** An empty stream, with its thread started. */
  public HostStream() {
    this(true);
    Thread worker = new Thread(this::drain, "tombolo-host-stream");
    worker.setDaemon(true);
    worker.start();
  }

  /**
   * Queues {@code task}, which may block as long as it likes: this is the place for vendor calls
   * that do.
   */
  public void enqueue(Runnable task) {
    queue(task::run);
  }

  /**
   * Queues {@code task}, which touches {@code sizeBytes} of the stream's user's memory and waits
   * for nothing.
   */
  void enqueueMemoryWork(long sizeBytes, Runnable task) {
    Work work = () -> touch(task);
    if (sizeBytes <= SHORT_BYTES) {
      doOrQueue(work);
    } else {
      queue(work);
    }
  }

  private void touch(Runnable task) {
    synchronized (touching) {
      ensureOpen();
      task.run();
    }
  }

  /**
   * Queues a wait until {@code condition}, which may read memory of the stream's user, holds; it
   * holds for ever then.
   */
  void enqueueWait(BooleanSupplier condition) {
    ensureOpen();
    if (!hasThread) {
      await(condition);
      return;
    }
    synchronized (order) {
      queueLastWait();
      lastWait.set(condition);
    }
  }

  /** Queues a point that others can look at. */
  HostMark mark() {
    HostMark mark = new HostMark();
    doOrQueue(mark);
    return mark;
  }

  @Override
  public void launchHostFunction(Runnable function) {
    enqueue(function);
  }

  /** There is no vendor, hence no handle: 0, which libraries that ignore streams accept. */
  @Override
  public long nativeHandle() {
    return 0;
  }

  @Override
  public void waitFor(Event event) {
    checkArgument(event instanceof HostEvent, "not an event of the host device: %s", event);
    HostMark mark = ((HostEvent) event).mark();
    if (mark != null) {
      enqueueWait(mark::isReached);
    }
  }

  @Override
  public boolean isIdle() {
    ensureOpen();
    boolean idle = unfinished.get() == 0 && isLastWaitOver();
    failure.ensureNone(); // only now: the last piece of work may have ended by failing
    return idle;
  }

  /** With nothing before it: whether it holds; what it throws is the stream's failure. */
  private boolean isLastWaitOver() {
    BooleanSupplier wait = lastWait.get();
    if (wait == null) {
      return true;
    }
    try {
      if (!holds(wait)) {
        return false;
      }
    } catch (RuntimeException e) {
      failure.set(e);
      throw e;
    }
    lastWait.compareAndSet(wait, null);
    return true;
  }

  @Override
  public void close() {
    synchronized (touching) {
      if (closed) {
        return;
      }
      closed = true;
    }
    lastWait.set(null);
    List<Work> rest = new ArrayList<>();
    queue.drainTo(rest);
    queue.add(END);
    rest.forEach(this::abandon);
  }

  /** Does {@code work}, which is short, at once if nothing is before it. */
  private void doOrQueue(Work work) {
    synchronized (order) {
      ensureOpen();
      if (hasThread && hasNothingBefore() && unfinished.compareAndSet(0, 1)) {
        finish(work);
      } else {
        queue(work);
      }
    }
  }

  private boolean hasNothingBefore() {
    try {
      return unfinished.get() == 0 && isLastWaitOver();
    } catch (RuntimeException e) {
      return true; // what is done finds the stream failed
    }
  }

  private void queue(Work work) {
    ensureOpen();
    if (!hasThread) {
      work.run();
      return;
    }
    synchronized (order) {
      queueLastWait();
      offer(work);
    }
  }

  /** It is in the queue before it is no longer the last one, so that the stream is never idle. */
  private void queueLastWait() {
    BooleanSupplier wait = lastWait.get();
    if (wait != null) {
      offer(() -> await(wait));
      lastWait.set(null);
    }
  }

  private void offer(Work work) {
    unfinished.incrementAndGet();
    if (!queue.offer(work)) {
      unfinished.decrementAndGet();
      throw new ResourceException(
          CAPACITY
              + " pieces of work wait in this stream already; is the first of them stuck? Wait for"
              + " it, or close it");
    }
  }

  private void drain() {
    for (Work work = next(); work != END; work = next()) {
      finish(work);
    }
  }

  private void finish(Work work) {
    try {
      runOrAbandon(work);
    } finally {
      unfinished.decrementAndGet();
    }
  }

  private void abandon(Work work) {
    try {
      work.abandon(closedError());
    } finally {
      unfinished.decrementAndGet();
    }
  }

  private void runOrAbandon(Work work) {
    try {
      ensureOpen();
      failure.ensureNone();
      work.run();
    } catch (
        Throwable e) { // whatever it is belongs to whoever looks at the stream, not to this thread
      failure.set(e);
      work.abandon(e);
    }
  }

  /** Spins a little, because work often comes in bursts, then blocks. */
  private Work next() {
    Backoff backoff = new Backoff();
    while (!backoff.isPatient()) {
      Work work = queue.poll();
      if (work != null) {
        return work;
      }
      backoff.pause();
    }
    return take();
  }

  private Work take() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        // A task interrupted its own thread; the stream is ended by close and by nothing else.
      }
    }
  }

  private void await(BooleanSupplier condition) {
    Backoff backoff = new Backoff();
    while (!holds(condition)) {
      backoff.pause();
    }
  }

  private boolean holds(BooleanSupplier condition) {
    synchronized (touching) {
      ensureOpen();
      return condition.getAsBoolean();
    }
  }

  private void ensureOpen() {
    if (closed) {
      throw closedError();
    }
  }

  boolean isClosed() {
    return closed;
  }

  private static IllegalStateException closedError() {
    return new IllegalStateException("this stream is closed");
  }
}
