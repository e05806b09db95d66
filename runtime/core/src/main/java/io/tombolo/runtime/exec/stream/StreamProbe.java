// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.ReduceOp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Finds out whether a stream may be held: whether other streams go on meanwhile. Streams share
 * hardware queues, and no runtime tells which; a stream that waits for a word may hold up all
 * behind it in its queue ({@code cuda.h}, stream memory operations: "may deadlock"). So the stream
 * is held for a moment, with work on the others.
 *
 * <p>Devices have queues of their own for some kinds of work: on an H200 copies pass a held stream
 * that blocks launches and writes of words. So the others do all that our own streams do: they
 * write a word, run a kernel, copy both ways, and record an event. A write stands for the kernels
 * of collective libraries, too, with which it shared its fate there. And what can be behind a wait
 * is behind this one: a copy there might hold up other copies where the wait alone does not.
 *
 * <p>That the work has not passed may also mean that the machine is busy. So this believes it only
 * if it passes as soon as the stream is let go, several times. If it does not pass for a long time,
 * nobody can tell: the others may be busy with calls that wait for other ranks. Thread-safe; for
 * callers, not the agent.
 */
final class StreamProbe implements AutoCloseable {
  /** Whether other streams go on while one is held. */
  enum Answer {
    /** They do. */
    YES,
    /** They go on as soon as it is let go, and never sooner. */
    NO,
    /** They, or the machine, have been too busy to tell: another time they may not be. */
    UNDECIDED
  }

  private static final long FIRST_WINDOW_NS = 10_000_000;
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final long LAST_LOOK_NS = 100_000_000;
  private static final int PROOFS = 3;
  private static final long PAUSE_NS = 20_000;

  private final DeviceAdaptor device;
  private final Optional<DeviceReducer> kernels;
  private final CloseStack stack = new CloseStack();
  private final LongCell word;
  private final LongCell written;
  private final DeviceMemory source;
  private final DeviceMemory target;
  private final Event behind;
  private final Event firstUse;
  private final Event[] events;

  /**
   * Behind what was queued on callers' streams, which may have much to do before they come to it.
   */
  private final List<Event> ends = new ArrayList<>();

  private final Deque<Event> spares = new ArrayDeque<>();

  /** Whether something may be under way that was not seen to end. */
  private boolean hasLeft;

  private long turn;

  /**
   * Makes what probes of {@code device} with so many others at {@code most} need, and does once on
   * {@code first} what they do: a first use may wait for work of the device.
   *
   * @param kernels those that our own streams run
   */
  StreamProbe(DeviceAdaptor device, Optional<DeviceReducer> kernels, int most, Stream first) {
    this.device = device;
    this.kernels = kernels;
    List<LongCell> words = device.newWords(2);
    word = words.get(0);
    written = words.get(1);
    try {
      source = stack.opened(device.allocatePinned(Long.BYTES));
      target = stack.opened(device.allocate(Long.BYTES));
      behind = stack.opened(device.newAwaitedEvent());
      firstUse = stack.opened(device.newEvent());
      spares.add(stack.opened(device.newEvent()));
      events = new Event[most];
      for (int i = 0; i < most; i++) {
        events[i] = stack.opened(device.newEvent());
      }
      hasLeft = true; // until its end can be seen
      queueAll(first);
      firstUse.record(first);
      hasLeft = false;
    } catch (RuntimeException e) {
      giveUp(first, e);
      throw e;
    }
  }

  /** Frees what there is unless something of it is still under way on {@code first}. */
  private void giveUp(Stream first, RuntimeException cause) {
    try {
      if (!hasLeft || await(first::isIdle, LAST_LOOK_NS)) {
        stack.close();
      }
    } catch (RuntimeException e) {
      cause.addSuppressed(e); // nobody knows then: it is left behind
    }
  }

  /** Whether all of {@code others} go on while {@code stream} is held. */
  Answer passes(Stream stream, List<Stream> others) {
    return passes(stream, List.of(), others);
  }

  /** As the other, while all of {@code followers} wait for {@code stream} besides. */
  synchronized Answer passes(Stream stream, List<Stream> followers, List<Stream> others) {
    long begun = System.nanoTime();
    long window = FIRST_WINDOW_NS;
    boolean hadLeft = hasLeft;
    boolean passes = false;
    int proofs = 0;
    for (; !passes && proofs < PROOFS; window *= 2) {
      passes = passesWithin(window, stream, followers, others);
      proofs += !passes && await(others, window / 4) ? 1 : 0;
      boolean isOver = await(others, LIMIT_NS); // a second write under way might have to wait
      hasLeft = hadLeft || !isOver || !await(() -> areIdle(followers), LIMIT_NS);
      if (!isOver || System.nanoTime() - begun >= LIMIT_NS) {
        break;
      }
    }
    if (passes) {
      return Answer.YES;
    }
    return proofs == PROOFS ? Answer.NO : Answer.UNDECIDED;
  }

  private boolean passesWithin(
      long window, Stream stream, List<Stream> followers, List<Stream> others) {
    Event end = nextEnd();
    long value = ++turn;
    device.waitValueAsync(stream, word.address(), value);
    hasLeft = true; // until all has ended: nobody looks any more if one of the calls here fails
    try {
      behind.record(stream);
      queue(stream);
      end.record(stream);
      ends.add(end);
      for (int i = 0; i < followers.size(); i++) {
        followers.get(i).waitFor(behind);
        copy(i % 2 == 0, followers.get(i));
      }
      for (int i = 0; i < others.size(); i++) {
        queueAll(others.get(i));
        events[i].record(others.get(i));
      }
      return await(others, window);
    } finally {
      word.setRelease(value);
    }
  }

  private void queueAll(Stream stream) {
    device.writeValueAsync(stream, written.address(), turn);
    queue(stream);
  }

  private void queue(Stream stream) {
    long at = target.address();
    kernels.ifPresent(by -> by.reduceAsync(ReduceOp.MAX, DataType.I64, at, at, at, 1, stream));
    copy(true, stream);
    copy(false, stream);
  }

  private void copy(boolean toDevice, Stream stream) {
    device.copyAsync(
        toDevice ? CopyDirection.HOST_TO_DEVICE : CopyDirection.DEVICE_TO_HOST,
        (toDevice ? target : source).address(),
        (toDevice ? source : target).address(),
        Long.BYTES,
        stream);
  }

  private boolean await(List<Stream> others, long limitNs) {
    return await(() -> areDone(others.size()), limitNs);
  }

  /** Not one that a stream has still to come to: nobody could tell any more whether it has. */
  private Event nextEnd() {
    ends.stream().filter(Event::isDone).forEach(spares::add);
    ends.removeAll(spares);
    return spares.isEmpty() ? stack.opened(device.newEvent()) : spares.remove();
  }

  private boolean haveEnded() {
    return firstUse.isDone() && ends.stream().allMatch(Event::isDone);
  }

  /** Of streams that have nothing else to do. */
  private static boolean areIdle(List<Stream> streams) {
    return streams.stream().allMatch(Stream::isIdle);
  }

  private static boolean await(BooleanSupplier condition, long limitNs) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begun >= limitNs) {
        return condition.getAsBoolean();
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
    return true;
  }

  private boolean areDone(int count) {
    for (int i = 0; i < count; i++) {
      if (!events[i].isDone()) {
        return false;
      }
    }
    return true;
  }

  /**
   * What a stream that is late may still use is left behind. So is everything on a device that has
   * failed: to ask it then whether all has ended throws, and nothing is freed.
   */
  @Override
  public synchronized void close() {
    if (!hasLeft && await(this::haveEnded, LAST_LOOK_NS)) {
      stack.close();
    }
  }
}
