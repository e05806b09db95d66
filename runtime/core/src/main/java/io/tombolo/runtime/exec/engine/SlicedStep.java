// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import com.google.common.base.Throwables;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Step;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A step of arithmetic under way, a slice here and a slice there. Used for one step after the
 * other: the agent begins it and hands out its slices, and whoever has one does it.
 */
final class SlicedStep {
  /** Some 50 µs of work, and small enough to stay in the nearer caches. */
  private static final int SLICE_BYTES = 256 << 10;

  private final Reducers reducers;
  private final Runnable wake;
  private final AtomicLong remaining = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private Step step;
  private Binding binding;
  private Engine.Ended listener;
  private long elements;
  private long handed;
  private boolean oneAtATime;
  private boolean forReducers;

  /**
   * A place for steps, which {@code reducers} do if they want them; whichever thread does the last
   * slice of one runs {@code wake}.
   */
  SlicedStep(Reducers reducers, Runnable wake) {
    this.reducers = reducers;
    this.wake = wake;
  }

  /** The step is {@code next}, and nothing of it is done. */
  void begin(Step next, Binding memory, Engine.Ended ended) {
    step = next;
    binding = memory;
    listener = ended;
    elements = HostArithmetic.result(next.action()).length();
    handed = 0;
    oneAtATime = HostArithmetic.isUserDefined(next.action());
    forReducers = reducers.want(elements * memory.type().sizeBytes(), oneAtATime);
    remaining.set(elements);
  }

  /** Whether other threads do its slices, not the agent's. */
  boolean isForReducers() {
    return forReducers;
  }

  /** Whether no slice is to be handed out any more: all have been, or one has failed. */
  boolean isHandedOut() {
    return handed == elements || failure.get() != null;
  }

  /** Whether another slice may be handed out now. */
  boolean mayHandOut() {
    return !isHandedOut() && !(oneAtATime && remaining.get() != elements - handed);
  }

  /** The first element of the next slice. */
  long nextSlice() {
    return handed;
  }

  /** The next slice is on its way. */
  void handedOut() {
    handed += count(handed);
  }

  /** Does the slice that begins at element {@code first}, on the agent's thread. */
  void compute(long first) {
    finish(first);
  }

  /** As {@link #compute}, on another thread: the agent is woken if there is news for it. */
  void computeElsewhere(long first) {
    if (finish(first)) {
      wake.run();
    }
  }

  /**
   * Throws nothing: what goes wrong is the agent's to throw. Returns whether it has news; it may
   * begin another step here before that is known to the caller.
   */
  private boolean finish(long first) {
    boolean news = oneAtATime;
    long count = count(first);
    try {
      reducers.arithmetic().compute(step.action(), binding, first, count);
    } catch (Throwable cause) {
      failure.compareAndSet(null, cause);
      news = true;
    }
    return remaining.addAndGet(-count) == 0 || news;
  }

  private long count(long first) {
    return Math.min(SLICE_BYTES / binding.type().sizeBytes(), elements - first);
  }

  /** Whether all of it is done, or a slice has failed. */
  boolean isOver() {
    return remaining.get() == 0 || failure.get() != null;
  }

  /** Tells who waits for it that it is done; throws what a slice threw. */
  void end() {
    Throwable cause = failure.get();
    if (cause != null) {
      Throwables.throwIfUnchecked(cause);
      throw new IllegalStateException(cause);
    }
    listener.ended(step.id());
  }
}
