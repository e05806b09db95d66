package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One call on its way through the executor: what to run, on which memory, and how it ended. */
final class Operation implements Work {
  private final long sequence;
  private final int rank;
  private final Object call;
  private final long sizeBytes;
  private final ImmutableList<Task> tasks;
  private final Consumer<TomboloException> abort;

  private Deadline deadline;
  private boolean done;
  private long durationNs;
  private TomboloException error;

  Operation(
      long sequence,
      int rank,
      Object call,
      long sizeBytes,
      List<Task> tasks,
      Consumer<TomboloException> abort) {
    this.sequence = sequence;
    this.rank = rank;
    this.call = call;
    this.sizeBytes = sizeBytes;
    this.tasks = ImmutableList.copyOf(tasks);
    this.abort = abort;
  }

  long sequence() {
    return sequence;
  }

  /** What there is to do. */
  ImmutableList<Task> tasks() {
    return tasks;
  }

  /**
   * The operation as every error names it: {@code rank 2: all_reduce of 8 f32 by sum (#17, 32
   * bytes, 5 ms)}.
   */
  String describe() {
    return "rank %d: %s (#%d, %d bytes, %d ms)"
        .formatted(rank, call, sequence, sizeBytes, elapsedNs() / 1_000_000);
  }

  /** The stream has reached the call: from now on {@code budget} counts. */
  synchronized void begin(Duration budget) {
    deadline = Deadline.after(budget);
  }

  synchronized boolean hasBegun() {
    return deadline != null;
  }

  synchronized boolean isOverdue(Duration grace) {
    return deadline != null && deadline.remainingNs() + grace.toNanos() <= 0;
  }

  synchronized long elapsedNs() {
    return deadline == null ? 0 : deadline.elapsedNs();
  }

  synchronized void end(TomboloException failure) {
    if (!done) {
      done = true;
      error = failure;
      durationNs = elapsedNs();
      notifyAll();
    }
  }

  @Override
  public synchronized boolean isDone() {
    return done;
  }

  @Override
  public synchronized void await(Duration timeout) {
    Deadline wait = Deadline.after(timeout);
    while (!done) {
      if (wait.isExpired()) {
        throw new DeadlineExceededException(
            describe()
                + " has not ended after "
                + timeout.toMillis()
                + " ms"
                + (deadline == null ? "; the stream has not reached it yet" : "")
                + "; wait longer, or abort it");
      }
      try {
        wait(wait.remainingMs());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AbortedException(
            describe() + ": the waiting thread was interrupted; the operation goes on", e);
      }
    }
    if (error != null) {
      throw error;
    }
  }

  @Override
  public synchronized Optional<TomboloException> error() {
    return Optional.ofNullable(error);
  }

  @Override
  public void abort() {
    abort.accept(new AbortedException(describe() + " was aborted by its caller"));
  }

  @Override
  public synchronized long durationNs() {
    return durationNs;
  }
}
