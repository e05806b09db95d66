// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.Awaitable;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.recorder.OperationEvent;
import io.tombolo.runtime.recorder.OperationEvents;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkBytes;
import io.tombolo.runtime.work.WorkSpan;
import io.tombolo.runtime.work.WorkStage;
import io.tombolo.runtime.work.WorkState.Phase;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BooleanSupplier;

/** One call on its way through the executor: what to run, on which memory, and how it ended. */
public final class SubmittedOperation implements Work, Awaitable {
  private final long sequence;
  private final int rank;
  private final Submission submission;
  private final CallOptions options;
  private final WorkStates states;
  private final SubmissionQueue submissions;
  private final Stopwatch watch;
  private final FlightRing recorder;
  private final OperationEvent event; // null if nobody records such
  private final Optional<CallerHandoff> handoff;

  private volatile Deadline deadline; // written once, under the lock; null until it begins
  private boolean touchesBuffers;
  private volatile boolean done; // written under the lock, after all that it tells of
  private boolean signalled;
  private int sleepers; // under the lock
  private long durationNs;
  private volatile OptionalInt source = OptionalInt.empty();
  private TomboloException error;
  private CompletableFuture<Work> completion; // made for who asks

  SubmittedOperation(
      long sequence,
      int rank,
      Submission submission,
      CallOptions options,
      WorkStates states,
      SubmissionQueue submissions,
      Optional<CallerHandoff.Way> way) {
    this.sequence = sequence;
    this.rank = rank;
    this.submission = submission;
    this.options = options;
    this.states = states;
    this.submissions = submissions;
    this.watch = options.timed() ? Stopwatch.of(Ticker.systemTicker()) : Stopwatch.NONE;
    this.handoff =
        way.isPresent() ? Optional.of(new CallerHandoff(this, way.get())) : Optional.empty();
    watch.begin(WorkStage.CALL);
    states.set(sequence, Phase.QUEUED);
    this.recorder = submissions.recorder();
    if (recorder.isOn()) {
      submission.record(recorder, sequence);
    }
    this.event =
        OperationEvents.areRecorded() ? submission.event(recorder.group(), rank, sequence) : null;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  /** How its caller carries it out itself, if it does. */
  public Optional<CallerHandoff> handoff() {
    return handoff;
  }

  /** Whether its caller carries it out, or has. */
  public boolean isCallers() {
    return handoff.isPresent() && !handoff.get().isLeft();
  }

  /** Whether its caller queues it as a call on its stream: that tells the end. */
  public boolean isOnStream() {
    return handoff.isPresent() && handoff.get().isOnStream();
  }

  /** Whether its caller is to make its call, or is in it: what comes later starts after that. */
  public boolean isHeldByCaller() {
    return isCallers() && !handoff.get().hasReturned();
  }

  /** What there is to do. */
  public ImmutableList<Task> tasks() {
    return submission.tasks();
  }

  /** What was handed in, which the ranks vote on. */
  public Submission submission() {
    return submission;
  }

  /** Whether its vote is where the ranks meet: it has nothing else to wait by. */
  public boolean meets() {
    ImmutableList<CollectiveCall> calls = submission.calls();
    for (int i = 0; i < calls.size(); i++) { // asked in every round, so it makes no garbage
      if (calls.get(i).collective() == Collective.BARRIER) {
        return true;
      }
    }
    return false;
  }

  /** The operation as every error names it: see {@link Submission#describe}. */
  public String describe() {
    return submission.describe(rank, sequence, elapsedNs());
  }

  /** Where its time goes. Used by the agent's thread until the end. */
  public Stopwatch watch() {
    return watch;
  }

  /** The stream has reached the call: from now on its timeout counts, or {@code standard}. */
  public synchronized void begin(Duration standard) {
    deadline = Deadline.after(allowed(standard));
    watch.pass(WorkStage.STREAM, WorkStage.START);
    if (!done) {
      states.set(sequence, Phase.STARTED);
      if (recorder.isOn()) {
        recorder.started(sequence, deadline.startNs());
      }
      if (event != null) {
        event.reached(deadline.startNs());
      }
    }
  }

  /** It stands at {@code step}, a word of FlightStep; only where its recorder is on. */
  public void reached(long step) {
    recorder.reached(sequence, step);
  }

  /** The time it has, or {@code standard}. */
  public Duration allowed(Duration standard) {
    return options.timeout().orElse(standard);
  }

  /** From now on the buffers are in use; false if the operation has ended before they were. */
  public synchronized boolean touchBuffers() {
    touchesBuffers = !done;
    return touchesBuffers;
  }

  /** Asked in every round, as is the next, so they take no lock. */
  public boolean hasBegun() {
    return deadline != null;
  }

  public boolean isOverdue(Duration grace) {
    Deadline set = deadline;
    return set != null && set.remainingNs() + grace.toNanos() <= 0;
  }

  /**
   * Whether its time is up, as the agent would see it that has been stuck for {@code stuck}; it may
   * have been reached by its stream all that time. {@code standard} as in {@link #begin}.
   */
  synchronized boolean isOverdueWhile(Duration stuck, Duration standard) {
    boolean late =
        deadline == null ? stuck.compareTo(allowed(standard)) >= 0 : deadline.isExpired();
    return late && !done;
  }

  synchronized long elapsedNs() {
    return deadline == null ? 0 : deadline.elapsedNs();
  }

  /**
   * It ended well, and leaves its place of {@code places} when its word says so: what comes next
   * there writes the same word.
   */
  synchronized void end(UnderWay places) {
    if (done) {
      places.remove(this);
      return;
    }
    touchesBuffers = false;
    states.set(sequence, Phase.DONE);
    places.remove(this);
    wakeWaiters();
  }

  /**
   * It ended with {@code failure}, its own or one that ended all; what has begun may still use the
   * buffers. Its error names it either way: whoever waits for it may not know of another call.
   */
  synchronized void end(TomboloException failure) {
    if (!done) {
      boolean named = failure.getMessage().startsWith(submission.head(rank, sequence));
      error = named ? failure : failure.metBy(describe());
      states.fail(sequence, error, touchesBuffers);
      wakeWaiters();
    }
  }

  /** Who waits is woken though the end cannot be recorded: nobody would end it a second time. */
  private void wakeWaiters() {
    try {
      recordEnd();
    } finally {
      done = true; // who looks takes no lock, and finds all of the above
      wakeSleepers();
      complete();
    }
  }

  /**
   * With the lock in hand, so whoever sleeps is counted, and whoever is about to has not looked
   * yet. Mostly nobody does: who waits makes the rounds himself.
   */
  private void wakeSleepers() {
    if (sleepers > 0) {
      notifyAll();
    }
  }

  private void recordEnd() {
    watch.pass(WorkStage.FINISH, WorkStage.WAKE);
    durationNs = elapsedNs();
    if (recorder.isOn()) {
      recorder.ended(sequence, error == null, endNs());
    }
    if (event != null) {
      event.ended(error == null ? "" : error.getMessage());
    }
  }

  private long endNs() {
    return deadline == null ? System.nanoTime() : deadline.startNs() + durationNs;
  }

  /** Elsewhere: what users have hung on it must not hold up the agent. */
  private void complete() {
    if (completion != null) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                if (error == null) {
                  completion.complete(this);
                } else {
                  completion.completeExceptionally(error);
                }
              });
    }
  }

  @Override
  public synchronized CompletionStage<Work> completion() {
    if (completion == null) {
      completion = new CompletableFuture<>();
      if (done) {
        complete();
      }
    }
    return completion.minimalCompletionStage();
  }

  /** Asked at every look of who waits, so it takes no lock. */
  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public void await(Duration timeout) {
    if (!isDone()) {
      awaitEnd(Deadline.after(timeout));
    }
    report(timeout);
  }

  private void awaitEnd(Deadline limit) {
    submissions.onWait(this);
    try {
      submissions.waits().await(this, limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw AbortedException.ofWait(
          describe() + ": the waiting thread was interrupted; the operation goes on", e);
    }
  }

  @Override
  public void await() {
    await(submissions.waits().patience(this));
  }

  private synchronized void report(Duration timeout) {
    if (!done) {
      throw DeadlineExceededException.ofWait(
          describe()
              + " has not ended after "
              + timeout.toMillis()
              + " ms"
              + (deadline == null ? "; the stream has not reached it yet" : "")
              + "; wait longer, or abort it");
    }
    watch.end(WorkStage.WAKE);
    if (error != null) {
      throw error;
    }
  }

  @Override
  public boolean isOver() {
    return isDone();
  }

  @Override
  public void sleep(Deadline until) throws InterruptedException {
    sleep(until, this::isDone);
  }

  /**
   * As the other, and until {@code over}, of which {@link #signal} tells: another thread that
   * sleeps here may have had that signal.
   */
  synchronized void sleep(Deadline until, BooleanSupplier over) throws InterruptedException {
    sleepers++;
    try {
      while (!done && !over.getAsBoolean() && !signalled && !until.isExpired()) {
        wait(until.waitMs());
      }
      signalled = false;
    } finally {
      sleepers--;
    }
  }

  @Override
  public synchronized void signal() {
    signalled = true;
    wakeSleepers();
  }

  /** It is a receive that any rank could have served, and rank {@code sender} does. */
  public void comesFrom(int sender) {
    source = OptionalInt.of(sender);
  }

  @Override
  public OptionalInt source() {
    return source;
  }

  @Override
  public synchronized Optional<TomboloException> error() {
    return Optional.ofNullable(error);
  }

  @Override
  public void abort() {
    submissions.abort(new AbortedException(describe() + " was aborted by its caller"));
  }

  @Override
  public void makeWait(Stream stream) {
    if (!isDone()) {
      submissions.makeWait(stream, this);
    }
  }

  @Override
  public synchronized boolean buffersReleased() {
    return done && !touchesBuffers;
  }

  @Override
  public synchronized long durationNs() {
    return durationNs;
  }

  @Override
  public synchronized ImmutableMap<WorkStage, Long> times() {
    return done ? watch.times() : ImmutableMap.of();
  }

  @Override
  public synchronized ImmutableList<WorkSpan> spans() {
    return done ? watch.spans() : ImmutableList.of();
  }

  @Override
  public long stateAddress() {
    return states.address(sequence);
  }

  @Override
  public WorkBytes bytes() {
    long intra = 0;
    Map<Integer, Long> cross = new TreeMap<>();
    for (Task task : tasks()) {
      intra += task.plan().intraBytes();
      task.addSent(cross);
    }
    return new WorkBytes(intra, ImmutableSortedMap.copyOf(cross));
  }
}
