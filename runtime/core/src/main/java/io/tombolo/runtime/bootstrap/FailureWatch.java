// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Learns of the first failure anywhere in the job, from whoever reports it, at once.
 *
 * <p>The loss of the store counts as a failure: it lives in the launcher, and ranks do not outlive
 * it. A daemon thread waits in rounds, so that a store that died without a word is noticed too.
 */
public final class FailureWatch implements AutoCloseable {
  /** Set by whoever notices first that something is wrong: what all wait for. */
  private static final String FAILURE = "job/failure";

  /** Set by who knows why. */
  private static final String CAUSE = "job/cause";

  /** Who has heard that a process is gone gives the one who knows why so long to say it. */
  private static final Duration COURTESY = Duration.ofMillis(300);

  private static final Duration ROUND = Duration.ofSeconds(5);

  private final Store store;
  private final Consumer<JobFailure> onFailure;
  private final Thread thread;
  private volatile boolean closed;

  private FailureWatch(Store store, Consumer<JobFailure> onFailure) {
    this.store = store;
    this.onFailure = onFailure;
    this.thread = new Thread(this::watch, "tombolo-failure-watch");
    thread.setDaemon(true);
  }

  /**
   * Watches over {@code store}, a connection that nobody else uses and that {@link #close} closes.
   *
   * @param onFailure gets the failure, at most once, on the watch's thread
   */
  public static FailureWatch start(Store store, Consumer<JobFailure> onFailure) {
    FailureWatch watch = new FailureWatch(store, onFailure);
    watch.thread.start();
    return watch;
  }

  /**
   * Publishes {@code cause} as the job's failure, as {@code rank} met it. The first report wins;
   * but one who has seen another process go is believed only as long as nobody has a cause.
   */
  public static void report(Store store, int rank, RuntimeException cause) {
    JobFailure failure = JobFailure.of(rank, cause);
    if (JobFailure.isSecondHand(cause)) {
      put(store, FAILURE, failure);
    } else {
      report(store, failure);
    }
  }

  /**
   * Publishes {@code text} as the cause of the job's failure unless there is one already; the first
   * one's text.
   */
  public static String report(Store store, String text) {
    return report(store, JobFailure.of(text));
  }

  /** As {@link #report(Store, String)}, in the name of {@code rank}. */
  public static String report(Store store, int rank, String text) {
    return report(store, "rank " + rank + ": " + text);
  }

  private static String report(Store store, JobFailure failure) {
    JobFailure first = put(store, CAUSE, failure);
    put(store, FAILURE, first);
    return first.text();
  }

  private static JobFailure put(Store store, String key, JobFailure failure) {
    return JobFailure.decode(store.compareSet(key, new byte[0], failure.encode()));
  }

  /** Removes what was reported. */
  static void forget(Store store) {
    store.delete(FAILURE);
    store.delete(CAUSE);
  }

  /** What the job's failure is known to be so far. */
  public static Optional<String> first(Store store) {
    return store
        .get(CAUSE)
        .or(() -> store.get(FAILURE))
        .map(bytes -> JobFailure.decode(bytes).text());
  }

  /** Ends the watch; {@code onFailure} is not called any more, unless it runs already. */
  @Override
  public void close() {
    closed = true;
    store.close();
    thread.interrupt();
  }

  private void watch() {
    Optional<JobFailure> failure = Optional.empty();
    while (!closed && failure.isEmpty()) {
      failure = round();
    }
    if (!closed) {
      failure.ifPresent(onFailure);
    }
  }

  private Optional<JobFailure> round() {
    try {
      JobFailure seen = JobFailure.decode(store.await(FAILURE, Deadline.after(ROUND)));
      return Optional.of(cause().orElse(seen));
    } catch (DeadlineExceededException e) {
      return Optional.empty();
    } catch (TomboloException e) {
      return Optional.of(JobFailure.of(String.valueOf(e.getMessage())));
    }
  }

  private Optional<JobFailure> cause() {
    try {
      return Optional.of(JobFailure.decode(store.await(CAUSE, Deadline.after(COURTESY))));
    } catch (DeadlineExceededException e) {
      return Optional.empty();
    }
  }
}
