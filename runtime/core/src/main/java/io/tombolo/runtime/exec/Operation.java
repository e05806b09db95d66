package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.Work;
import io.tombolo.runtime.plan.Plan;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** One call on its way through the executor: what to run, on which memory, and how it ended. */
final class Operation implements Work {
  private final long sequence;
  private final Plan plan;
  private final long sizeBytes;
  private final long inputAddress;
  private final long outputAddress;
  private final Consumer<TomboloException> abort;

  private Deadline deadline;
  private boolean done;
  private long durationNs;
  private TomboloException error;

  Operation(
      long sequence,
      Plan plan,
      int worldSize,
      long inputAddress,
      long outputAddress,
      Consumer<TomboloException> abort) {
    this.sequence = sequence;
    this.plan = plan;
    this.sizeBytes = plan.call().sizeBytes(plan.rank(), worldSize);
    this.inputAddress = inputAddress;
    this.outputAddress = outputAddress;
    this.abort = abort;
  }

  long sequence() {
    return sequence;
  }

  Plan plan() {
    return plan;
  }

  long inputAddress() {
    return inputAddress;
  }

  long outputAddress() {
    return outputAddress;
  }

  /**
   * The operation as every error names it: {@code rank 2: all_reduce of 8 f32 by sum (#17, 32
   * bytes, 5 ms)}.
   */
  String describe() {
    return "rank %d: %s (#%d, %d bytes, %d ms)"
        .formatted(plan.rank(), plan.call(), sequence, sizeBytes, elapsedNs() / 1_000_000);
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
