// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Awaitable;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.StuckRound;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.WorkStage;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Where calls come in and their streams are let go: from the call to the agent and back, for
 * operations that may end in any order. {@link #submit} may come from any thread; the rest is the
 * agent's.
 */
public final class SubmissionQueue implements AutoCloseable {
  private static final Optional<CallerHandoff.Way> BY_THE_AGENT = Optional.empty();
  private static final Optional<CallerHandoff.Way> ON_CALLERS_THREAD =
      Optional.of(CallerHandoff.Way.ON_ITS_THREAD);
  private static final Optional<CallerHandoff.Way> ON_CALLERS_STREAM =
      Optional.of(CallerHandoff.Way.ON_ITS_STREAM);

  private final int rank;
  private final FailureState failureState;
  private final Agent agent;
  private final Duration timeout;
  private final CallerWaits waits;
  private final CallRefusals refusals;
  private final Doorbell doorbell;
  private final CallerHabit habit = new CallerHabit();
  private final Places places;
  private final WorkStates states;
  private final FlightRing recorder;
  private final Queue<SubmittedOperation> queue = new ConcurrentLinkedQueue<>();
  private final UnderWay underWay;
  private final AtomicInteger count = new AtomicInteger();
  private final StreamCalls streamCalls;
  private volatile long submitted;
  private volatile boolean closed;

  /** The stream of the last call that was queued; null before the first. */
  private volatile Stream known;

  /**
   * Calls of {@code rank}, started by a doorbell of {@code doorbells}, which holds {@code holdable}
   * streams; they have {@code timeout} if they do not say otherwise, and {@code recorder} has them.
   *
   * @param places how many can be under way at once
   * @param settle looks, without waiting, which operations of callers' streams have ended
   */
  public SubmissionQueue(
      int rank,
      Places places,
      Doorbells doorbells,
      HoldableStreams holdable,
      Duration timeout,
      FailureState failureState,
      Agent agent,
      FlightRing recorder,
      Runnable settle) {
    this.rank = rank;
    this.places = places;
    this.states = new WorkStates(places.count());
    this.underWay = new UnderWay(places.count());
    this.recorder = recorder;
    this.failureState = failureState;
    this.agent = agent;
    this.timeout = timeout;
    this.waits =
        new CallerWaits(
            agent, timeout, failureState, new StreamWait(agent, settle, this::hasEnded));
    this.refusals = new CallRefusals(rank, doorbells.device());
    this.doorbell = doorbells.open(holdable, places.count());
    this.streamCalls = new StreamCalls(doorbell);
    failureState.onFailure(this::endAll);
  }

  /**
   * Queues {@code submission} on {@code stream}, as {@link #queue} does; then waits for its end, if
   * {@code options} say so or the stream would have to and cannot.
   */
  public SubmittedOperation submit(Submission submission, CallOptions options, Stream stream) {
    return submit(submission, options, stream, look(options, stream));
  }

  /** As the other, where {@link #look} has found {@code use}. */
  public SubmittedOperation submit(
      Submission submission, CallOptions options, Stream stream, StreamUse use) {
    boolean standsIn = options.streamWaits() && !use.isHeld();
    if (options.blocks() || standsIn) {
      waits.requireMayWait(); // before the call is in: the others would wait for this rank
    }
    boolean waitsItself = options.streamWaits() && use.isHeld();
    SubmittedOperation operation =
        queue(submission, options, stream, use, waitsItself && !options.blocks());
    tell(options.blocks() || standsIn);
    if (options.blocks()) {
      waits.awaitQuietly(operation, waits.end(options));
      if (waitsItself) {
        letStreamWait(operation, stream);
      }
    }
    if (standsIn) {
      waits.standIn(operation);
    }
    return operation;
  }

  /** What keeps calls from being made: to be asked before anything is queued for one. */
  public CallRefusals refusals() {
    return refusals;
  }

  /** Has the call that is in carried out: by its caller, if that waits, else by the agent. */
  private void tell(boolean callerWaits) {
    if (callerWaits || habit.onCall(System.nanoTime())) {
      agent.expectCaller();
    } else {
      agent.wake();
    }
  }

  /** The caller of {@code operation} waits for it from now on. */
  void onWait(SubmittedOperation operation) {
    if (operation.sequence() == submitted) {
      habit.onWait(System.nanoTime());
    }
  }

  /**
   * Waits in the place of {@code stream} for {@code operation}, if that would have to and cannot.
   */
  void standIn(SubmittedOperation operation, CallOptions options, Stream stream) {
    if (options.streamWaits() && !operation.isDone() && !doorbell.holds(stream)) {
      waits.standIn(operation);
    }
  }

  /**
   * Queues {@code submission} on {@code stream} as one operation: it starts when the stream reaches
   * it, at once if nothing is before it. What {@code stream} refuses was not called. Where as many
   * are under way as there are places, this waits for the oldest.
   *
   * @param use what {@link #look} found
   * @param holds whether the stream waits for the end
   * @throws ResourceException if that has not ended in the time that the call has
   */
  SubmittedOperation queue(
      Submission submission, CallOptions options, Stream stream, StreamUse use, boolean holds) {
    Deadline limit = null;
    while (true) {
      SubmittedOperation oldest;
      synchronized (this) {
        long sequence = nextSequence(submission);
        oldest = underWay.inPlaceOf(sequence);
        if (oldest == null) {
          return queue(sequence, submission, options, stream, use, holds);
        }
      }
      if (limit == null) { // only now: calls make no garbage that they do not need
        limit = waits.turn(options);
      }
      awaitPlace(oldest, limit);
    }
  }

  /** Back-pressure: all places are taken, so the caller is held until the next one is left. */
  private void awaitPlace(SubmittedOperation oldest, Deadline limit) {
    waits.awaitStubbornly(oldest, limit);
    if (!oldest.isDone()) {
      throw new ResourceException(
          ("rank %s: %s operations are under way, and the oldest has not ended within %s ms: %s;"
                  + " %s")
              .formatted(
                  rank,
                  places.count(),
                  limit.budgetNs() / 1_000_000,
                  oldest.describe(),
                  places.advice()));
    }
  }

  private SubmittedOperation queue(
      long sequence,
      Submission submission,
      CallOptions options,
      Stream stream,
      StreamUse use,
      boolean holds) {
    queueStart(stream, use, sequence); // first, as it throws if the stream is none
    SubmittedOperation operation = takeIn(sequence, submission, options, BY_THE_AGENT);
    count.incrementAndGet();
    if (holds) {
      holdStream(stream, operation);
    }
    endIfFailed();
    return operation;
  }

  /** A failure just before could not see the operation that came in. */
  private void endIfFailed() {
    if (failureState.hasFailed()) {
      endAll(failureState.awaitFailure());
    }
  }

  /** A stream that has proved to be one of the device's is not waited for while it is idle. */
  private void queueStart(Stream stream, StreamUse use, long sequence) {
    if (use.isIdle()) {
      doorbell.ring(sequence);
    } else {
      doorbell.queueStart(stream, sequence);
    }
    known = stream;
  }

  /** Its caller waits for {@code operation} no longer: if it has not ended, {@code stream} does. */
  private synchronized void letStreamWait(SubmittedOperation operation, Stream stream) {
    if (!operation.isDone()) {
      holdStream(stream, operation);
    }
  }

  /**
   * Takes {@code submission} in for its caller to carry out, which has seen that its stream has
   * nothing pending. Where no other operation is under way, {@code ahead} comes first: the library
   * has no other call before this one. Wakes nobody.
   */
  synchronized SubmittedOperation admit(
      Submission submission, CallOptions options, Consumer<Submission> ahead) {
    long sequence = nextSequence(submission);
    if (count.get() == 0 && underWay.inPlaceOf(submitted) == null) {
      ahead.accept(submission);
    }
    SubmittedOperation operation = takeIn(sequence, submission, options, ON_CALLERS_THREAD);
    doorbell.ring(operation.sequence());
    endIfFailed();
    return operation;
  }

  /**
   * Takes {@code submission} in for its caller to queue as a call on {@code stream}, marks there
   * where it starts, and casts {@code vote}. Nothing if it has to go by the agent: where that has
   * calls under way, which come first, and where the last call was queued on another stream and has
   * not ended, as libraries are called on one stream at a time. Wakes nobody.
   *
   * @throws TomboloException what {@code stream} has against it; nothing was called then
   */
  synchronized Optional<SubmittedOperation> admitOnStream(
      Submission submission, CallOptions options, Stream stream, EarlyVote vote) {
    long sequence = nextSequence(submission);
    if (count.get() > 0 || underWay.inPlaceOf(sequence) != null || !streamCalls.mayFollow(stream)) {
      return Optional.empty();
    }
    boolean idle = stream.equals(known) && stream.isIdle();
    queueStart(stream, StreamUse.of(idle, false), sequence); // first, as it throws if it is none
    vote.cast(sequence, submission);
    SubmittedOperation operation = takeIn(sequence, submission, options, ON_CALLERS_STREAM);
    streamCalls.add(operation, stream);
    endIfFailed();
    return Optional.of(operation);
  }

  /**
   * Waits while as many operations are under way as there are places.
   *
   * @throws ResourceException if the oldest has not ended in the time that the call has
   */
  void awaitPlace(CallOptions options) {
    Deadline limit = null;
    while (isUsable()) {
      SubmittedOperation oldest = underWay.inPlaceOf(submitted + 1);
      if (oldest == null) {
        return;
      }
      if (limit == null) {
        limit = waits.turn(options);
      }
      awaitPlace(oldest, limit);
    }
  }

  /** Queues behind the call of {@code operation} on {@code stream} that it has ended. */
  void queueEnd(Stream stream, SubmittedOperation operation) {
    doorbell.queueEnd(stream, operation.sequence());
  }

  /** As {@link #queueEnd}, where the caller has seen the end. */
  void end(SubmittedOperation operation) {
    doorbell.release(operation.sequence());
  }

  /** Whether streams can tell the end of what callers queue on them. */
  public boolean marksEnds() {
    return doorbell.marksEnds();
  }

  /**
   * Whether the call of {@code operation}, which its caller has queued on a stream, has ended.
   * Thread-safe.
   */
  public boolean hasEnded(SubmittedOperation operation) {
    return doorbell.hasEnded(operation.sequence());
  }

  /** Whether operations are under way that callers have queued on their streams. */
  public boolean hasOnStreams() {
    return !failureState.hasFailed() && streamCalls.areUnderWay();
  }

  /** Waits for the operations whose streams have ended them, while the ranks vote on them. */
  public void awaitVotes() {
    underWay.forEach(
        operation -> {
          if (operation.isOnStream() && hasEnded(operation)) {
            waits.awaitStubbornly(operation, Deadline.after(operation.allowed(timeout)));
          }
        });
  }

  /** The caller of {@code operation} does not carry it out after all. */
  synchronized void leaveToAgent(SubmittedOperation operation, CallOptions options, Stream stream) {
    count.incrementAndGet();
    if (options.streamWaits()) {
      holdStream(stream, operation);
    }
    agent.wake();
  }

  /** The operation starts either way: a stream that would overtake it is the end of all. */
  private void holdStream(Stream stream, SubmittedOperation operation) {
    try {
      doorbell.queueWait(stream, operation.sequence());
    } catch (TomboloException e) {
      failureState.fail(e.during(operation.describe()));
    } catch (RuntimeException e) {
      failureState.fail(
          new AbortedException(operation.describe() + ": its stream cannot wait: " + e, e));
    }
  }

  /** Has the agent look at what is under way. */
  public void wake() {
    agent.wake();
  }

  /** Whether a caller is in the library, in a call that it makes on its stream. Thread-safe. */
  public boolean isCallerInside() {
    return streamCalls.isCallerInside();
  }

  /** Whether a call may come in, as far as is known now: {@link #submit} says why not. */
  public boolean isUsable() {
    return !closed && !failureState.hasFailed();
  }

  /** The number of the next call; throws what keeps it from coming in. */
  private long nextSequence(Submission submission) {
    requireOpen();
    long sequence = submitted + 1;
    if (failureState.hasFailed()) {
      throw refusal(submission, sequence);
    }
    return sequence;
  }

  private SubmittedOperation takeIn(
      long sequence, Submission submission, CallOptions options, Optional<CallerHandoff.Way> way) {
    SubmittedOperation operation =
        new SubmittedOperation(sequence, rank, submission, options, states, this, way);
    submitted = sequence;
    underWay.add(operation);
    queue.add(operation);
    return operation;
  }

  private void requireOpen() {
    if (closed) {
      throw new UsageException("rank " + rank + ": the communicator is closed");
    }
  }

  private AbortedException refusal(Submission submission, long sequence) {
    TomboloException failed = failureState.awaitFailure();
    return new AbortedException(
        submission.describe(rank, sequence, 0)
            + ": the communicator failed before this call: "
            + failed.getMessage(),
        failed);
  }

  /** Whether a call has come in that {@link #next} has not given. */
  public boolean hasNext() {
    return !queue.isEmpty();
  }

  /** The next call, in the order of the calls. */
  public SubmittedOperation next() {
    SubmittedOperation next = queue.remove();
    next.watch().pass(WorkStage.CALL, WorkStage.STREAM);
    return next;
  }

  /** Whether the stream has reached {@code operation}. */
  public boolean isReached(SubmittedOperation operation) {
    return doorbell.hasRung(operation.sequence());
  }

  /**
   * {@code operation} has ended well. Counted first, as whoever sees its stream go on may leave at
   * once; its place is given away only when its words are written.
   */
  public void finish(SubmittedOperation operation) {
    if (operation.isOnStream()) {
      streamCalls.remove();
    } else if (!operation.isCallers()) {
      count.decrementAndGet();
    }
    doorbell.release(operation.sequence());
    operation.end(underWay);
  }

  /** Whether operations have come in that the agent is to carry out, and have not ended. */
  public boolean isBusy() {
    return !failureState.hasFailed() && count.get() > 0;
  }

  /**
   * The streams must not wait for ever; what they find in the outputs is undefined, and the works
   * say so before a stream goes on.
   */
  private void endAll(TomboloException cause) {
    underWay.forEach(
        operation -> {
          try {
            operation.end(cause);
          } finally {
            doorbell.release(operation.sequence());
          }
        });
  }

  /** Ends everything if an operation is overdue while the agent is {@code stuck}. Thread-safe. */
  public void endOverdue(StuckRound stuck) {
    underWay.forEach(
        operation -> {
          if (operation.isOverdueWhile(stuck.lasted(), timeout)) {
            failureState.fail(
                new DeadlineExceededException("not done in time: " + stuck.text())
                    .during(operation.describe()));
          }
        });
  }

  /** Operations handed in so far. Thread-safe. */
  public long submitted() {
    return submitted;
  }

  /** Has {@code stream} wait for the end of {@code operation}, or waits in its place. */
  void makeWait(Stream stream, SubmittedOperation operation) {
    requireOpen();
    refusals.require("a wait for an operation", 0, stream);
    if (comesAfter(stream, operation)) {
      return;
    }
    if (!doorbell.holds(stream)) {
      waits.requireMayWait();
      waits.standIn(operation);
      return;
    }
    synchronized (this) {
      requireOpen();
      doorbell.queueWait(stream, operation.sequence());
    }
  }

  /** Whether {@code stream} has the call of {@code operation} before all that comes next. */
  private synchronized boolean comesAfter(Stream stream, SubmittedOperation operation) {
    return streamCalls.isBefore(operation, stream);
  }

  /**
   * What a call with {@code options} finds of {@code stream}: to be asked once, first of all. A
   * stream that is met for the first time is held for a moment, if the call is to hold it.
   */
  public StreamUse look(CallOptions options, Stream stream) {
    if (!isUsable() || stream == null) {
      return StreamUse.BUSY_AND_HELD; // whatever it is: the call is refused
    }
    boolean idle =
        stream.equals(known) ? stream.isIdle() : options.streamWaits() && doorbell.isIdle(stream);
    return StreamUse.of(idle, !options.streamWaits() || doorbell.holds(stream));
  }

  /** Whether {@code stream} waits for the end of operations; else those who call have to. */
  public boolean holds(Stream stream) {
    requireOpen();
    refusals.require("the question whether it can be held", 0, stream);
    return doorbell.holds(stream);
  }

  /**
   * Waits until all that has come in so far has ended.
   *
   * @throws TomboloException the first error of them, or that it took longer than {@code timeout}
   */
  public void awaitAll(Duration timeout) {
    Deadline deadline = Deadline.after(timeout);
    underWay.forEach(
        operation -> operation.await(Duration.ofNanos(Math.max(1, deadline.remainingNs()))));
  }

  /** Where operations are recorded. */
  FlightRing recorder() {
    return recorder;
  }

  /** How callers wait for what has come in. */
  CallerWaits waits() {
    return waits;
  }

  /** As {@link Agent#spin}. */
  void spin(Duty duty, Awaitable awaited) {
    agent.spin(duty, awaited);
  }

  /** As {@link Agent#longestCycleNs}. */
  public long longestCycleNs() {
    return agent.longestCycleNs();
  }

  /** Ends everything because a caller wants it. */
  void abort(TomboloException cause) {
    requireOpen();
    failureState.abort(cause);
  }

  /** Takes no calls any more. */
  public synchronized void shut() {
    closed = true;
  }

  @Override
  public synchronized void close() {
    closed = true;
    doorbell.close();
  }
}
