// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Awaitable;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.WorkStage;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Where calls come in: one at a time they are numbered, queued on their streams, and handed to the
 * agent, or left to their callers. {@link Completions} has how the operations end, in any order.
 * {@link #submit} may come from any thread; the rest is the agent's.
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
  private final WorkStates states;
  private final FlightRing recorder;
  private final Queue<SubmittedOperation> queue = new ConcurrentLinkedQueue<>();
  private final UnderWay underWay;
  private final StreamCalls streamCalls;
  private final StreamOrdering streamOrdering;
  private final Admission admission;
  private final BackPressure backPressure;
  private final Completions completions;

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
    this.states = new WorkStates(places.count());
    this.underWay = new UnderWay(places.count());
    this.recorder = recorder;
    this.failureState = failureState;
    this.agent = agent;
    this.timeout = timeout;
    this.admission = new Admission(rank, failureState);
    this.refusals = new CallRefusals(rank, doorbells.device());
    this.doorbell = doorbells.open(holdable, places.count());
    this.streamOrdering = new StreamOrdering(doorbell, failureState);
    this.streamCalls = new StreamCalls(doorbell);
    this.completions = new Completions(timeout, failureState, doorbell, underWay, streamCalls);
    this.waits =
        new CallerWaits(
            agent, timeout, failureState, new StreamWait(agent, settle, completions::hasEnded));
    this.backPressure = new BackPressure(rank, places, waits);
    failureState.onFailure(completions::endAll);
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
        holdUntilEnd(operation, stream);
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
    if (operation.sequence() == admission.submitted()) {
      habit.onWait(System.nanoTime());
    }
  }

  /**
   * Has {@code stream} wait for {@code operation}, if it is to and that has not ended; or waits in
   * its place where it cannot.
   */
  void keepOrder(SubmittedOperation operation, CallOptions options, Stream stream) {
    if (!options.streamWaits() || operation.isDone()) {
      return;
    }
    if (doorbell.holds(stream)) { // asked once: while our streams are busy the answer may change
      holdUntilEnd(operation, stream);
    } else {
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
        long sequence = admission.next(submission);
        oldest = underWay.inPlaceOf(sequence);
        if (oldest == null) {
          return queue(sequence, submission, options, stream, use, holds);
        }
      }
      if (limit == null) { // only now: calls make no garbage that they do not need
        limit = waits.turn(options);
      }
      backPressure.await(oldest, limit);
    }
  }

  private SubmittedOperation queue(
      long sequence,
      Submission submission,
      CallOptions options,
      Stream stream,
      StreamUse use,
      boolean holds) {
    streamOrdering.queueStart(stream, use, sequence); // first, as it throws if the stream is none
    SubmittedOperation operation = made(sequence, submission, options, BY_THE_AGENT);
    takeIn(operation);
    completions.assignToAgent();
    if (holds) {
      streamOrdering.hold(stream, operation);
    }
    completions.endIfFailed();
    return operation;
  }

  /** Its caller waits for {@code operation} no longer: if it has not ended, {@code stream} does. */
  private synchronized void holdUntilEnd(SubmittedOperation operation, Stream stream) {
    if (!operation.isDone()) {
      streamOrdering.hold(stream, operation);
    }
  }

  /**
   * Takes {@code submission} in for its caller to carry out, which has seen that its stream has
   * nothing pending. Where no other operation is under way, {@code ahead} comes first: the library
   * has no other call before this one. Then {@code vote} is cast, as the others wait for it, and
   * not for what follows here. Wakes nobody.
   */
  synchronized SubmittedOperation admit(
      Submission submission, CallOptions options, Consumer<Submission> ahead, EarlyVote vote) {
    long sequence = admission.next(submission);
    if (completions.assignedToAgent() == 0 && underWay.inPlaceOf(admission.submitted()) == null) {
      ahead.accept(submission);
    }
    SubmittedOperation operation = made(sequence, submission, options, ON_CALLERS_THREAD);
    if (isUsable()) { // asked again, as what came first may have taken long
      vote.cast(sequence, submission);
    }
    takeIn(operation);
    doorbell.ring(operation.sequence());
    completions.endIfFailed();
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
    long sequence = admission.next(submission);
    if (completions.assignedToAgent() > 0
        || underWay.inPlaceOf(sequence) != null
        || !streamCalls.mayFollow(stream)) {
      return Optional.empty();
    }
    StreamUse use = StreamUse.of(streamOrdering.isKnownAndIdle(stream), false);
    streamOrdering.queueStart(stream, use, sequence); // first, as it throws if the stream is none
    SubmittedOperation operation = made(sequence, submission, options, ON_CALLERS_STREAM);
    vote.cast(sequence, submission);
    takeIn(operation);
    streamCalls.add(operation, stream);
    completions.endIfFailed();
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
      SubmittedOperation oldest = underWay.inPlaceOf(admission.submitted() + 1);
      if (oldest == null) {
        return;
      }
      if (limit == null) {
        limit = waits.turn(options);
      }
      backPressure.await(oldest, limit);
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

  /** Waits for the operations whose streams have ended them, while the ranks vote on them. */
  public void awaitVotes() {
    underWay.forEach(
        operation -> {
          if (operation.isOnStream() && completions.hasEnded(operation)) {
            waits.awaitStubbornly(operation, Deadline.after(operation.allowed(timeout)));
          }
        });
  }

  /** The caller of an operation, or its deputy, does not carry it out after all. */
  synchronized void leaveToAgent() {
    completions.assignToAgent();
    agent.wake();
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
    return admission.isUsable();
  }

  /** All that may fail comes before the vote is shown, which nobody can take back. */
  private SubmittedOperation made(
      long sequence, Submission submission, CallOptions options, Optional<CallerHandoff.Way> way) {
    return new SubmittedOperation(sequence, rank, submission, options, states, this, way);
  }

  private void takeIn(SubmittedOperation operation) {
    admission.admitted(operation.sequence());
    underWay.add(operation);
    queue.add(operation);
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

  /** How operations end, and whether all have. */
  public Completions completions() {
    return completions;
  }

  /** Operations handed in so far. Thread-safe. */
  public long submitted() {
    return admission.submitted();
  }

  /** Has {@code stream} wait for the end of {@code operation}, or waits in its place. */
  void makeWait(Stream stream, SubmittedOperation operation) {
    admission.requireOpen();
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
      admission.requireOpen();
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
    return streamOrdering.look(options, stream);
  }

  /**
   * Finds out whether {@code stream} can be held, if it is met for the first time, though this call
   * need not hold it: once a library's call is under way on our stream and waits for other ranks,
   * the probe could not tell that from a shared queue, which takes it seconds.
   */
  public void meet(Stream stream) {
    streamOrdering.meet(stream);
  }

  /** Whether {@code stream} waits for the end of operations; else those who call have to. */
  public boolean holds(Stream stream) {
    admission.requireOpen();
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
    admission.requireOpen();
    failureState.abort(cause);
  }

  /** Takes no calls any more. */
  public synchronized void shut() {
    admission.close();
  }

  @Override
  public synchronized void close() {
    admission.close();
    doorbell.close();
  }
}
