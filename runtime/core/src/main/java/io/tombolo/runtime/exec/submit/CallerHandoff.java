// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.Awaitable;
import io.tombolo.runtime.exec.agent.StuckRound;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the caller of an operation that it carries out itself, and who makes the rounds, tell each
 * other. Thread-safe.
 */
public final class CallerHandoff implements Awaitable {
  private final SubmittedOperation operation;
  private final AtomicReference<State> state;
  private final boolean isOnStream;
  private final long begunNs;
  private final String caller = Thread.currentThread().getName();
  private volatile TomboloException thrown;

  /** How a caller carries an operation out. */
  enum Way {
    /** On its own thread, in a library whose calls block, when the ranks have agreed. */
    ON_ITS_THREAD,
    /** As a call that it queues on its stream at once, while the ranks vote. */
    ON_ITS_STREAM
  }

  private enum State {
    /** The ranks have not agreed yet: nothing is called. */
    VOTING,
    /** The caller may make its call, and others must not. */
    AGREED,
    /** The caller's call has returned. */
    RETURNED,
    /** The caller has left the operation to the agent, as if it had never been its own. */
    LEFT
  }

  CallerHandoff(SubmittedOperation operation, Way way) {
    this.operation = operation;
    this.isOnStream = way == Way.ON_ITS_STREAM;
    this.begunNs = isOnStream ? System.nanoTime() : 0;
    this.state = new AtomicReference<>(isOnStream ? State.AGREED : State.VOTING);
  }

  /** Whether the caller queues its call on its stream, which then tells the end. */
  boolean isOnStream() {
    return isOnStream;
  }

  /**
   * How long ago the caller began; of a call on its stream only, whose time may count from then. No
   * other reads the clock for this.
   */
  public long lastedNs() {
    return System.nanoTime() - begunNs;
  }

  /**
   * The caller, as one that is in {@code call} of the library, on its stream, and does not come
   * back.
   */
  public StuckRound stuckIn(String call) {
    return new StuckRound(caller, call, Duration.ofNanos(lastedNs()));
  }

  /** The ranks agree and the stream is here: the caller is to go on. */
  public void agree() {
    if (state.compareAndSet(State.VOTING, State.AGREED)) {
      operation.signal();
    }
  }

  /** Leaves the operation to the agent; false if it is the caller's to carry out, or over. */
  boolean leave() {
    return !operation.isDone() && state.compareAndSet(State.VOTING, State.LEFT);
  }

  /** The call has returned, and thrown {@code failure} or nothing. */
  void end(Optional<TomboloException> failure) {
    thrown = failure.orElse(null);
    state.set(State.RETURNED);
  }

  /** What the call has thrown. */
  public Optional<TomboloException> thrown() {
    return Optional.ofNullable(thrown);
  }

  boolean isVoting() {
    return state.get() == State.VOTING;
  }

  boolean isAgreed() {
    return state.get() == State.AGREED;
  }

  boolean hasReturned() {
    return state.get() == State.RETURNED;
  }

  boolean isLeft() {
    return state.get() == State.LEFT;
  }

  @Override
  public boolean isOver() {
    return !isVoting() || operation.isDone();
  }

  @Override
  public void sleep(Deadline deadline) throws InterruptedException {
    operation.sleep(deadline, this::isOver);
  }

  @Override
  public void signal() {
    operation.signal();
  }
}
