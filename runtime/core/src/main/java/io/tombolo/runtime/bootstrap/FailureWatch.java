// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Learns of the first failure anywhere in the job, from whoever reports it, at once; and, until
 * then, of failures that belong to one group of ranks.
 *
 * <p>A failure stands in the place in the store of the job, or of the group, that it has ended. Who
 * reports it then puts the place's name into a list of news, which all watch.
 *
 * <p>The loss of the store counts as a failure: it lives in the launcher, and ranks do not outlive
 * it, or in a rank, {@link StoreHost whose} loss it is. A daemon thread waits in rounds, so that a
 * store that died without a word is noticed too.
 */
public final class FailureWatch implements AutoCloseable {
  /** Set by whoever notices first that something is wrong. */
  private static final String FAILURE = "job/failure";

  /** In the list of news, the job itself. */
  private static final String JOB = "job";

  /** Set by who knows why. */
  private static final String CAUSE = "job/cause";

  /** Who has heard that a process is gone gives the one who knows why so long to say it. */
  private static final Duration COURTESY = Duration.ofMillis(300);

  private final Store store;
  private final StoreHost host;
  private final Consumer<JobFailure> onFailure;
  private final BiConsumer<String, JobFailure> onGroupFailure;
  private final Consumer<JobFailure> onLost;
  private final Thread thread;
  private volatile boolean closed;

  private FailureWatch(
      Store store,
      StoreHost host,
      Consumer<JobFailure> onFailure,
      BiConsumer<String, JobFailure> onGroupFailure,
      Consumer<JobFailure> onLost) {
    this.store = store;
    this.host = host;
    this.onFailure = onFailure;
    this.onGroupFailure = onGroupFailure;
    this.onLost = onLost;
    this.thread = new Thread(this::watch, "tombolo-failure-watch");
    thread.setDaemon(true);
  }

  /**
   * Watches over {@code store}, a connection that nobody else uses and that {@link #close} closes.
   *
   * @param host hosts the store
   * @param onFailure gets the failure, at most once, on the watch's thread
   */
  public static FailureWatch start(Store store, StoreHost host, Consumer<JobFailure> onFailure) {
    return start(store, host, onFailure, (group, failure) -> {}, onFailure);
  }

  /**
   * As the other.
   *
   * @param onGroupFailure gets the place in the store of each group that has failed, and its
   *     failure, as long as the job has not
   * @param onLost is called in place of {@code onFailure} if the failure is the loss of the store,
   *     of which those who have it know nothing
   */
  public static FailureWatch start(
      Store store,
      StoreHost host,
      Consumer<JobFailure> onFailure,
      BiConsumer<String, JobFailure> onGroupFailure,
      Consumer<JobFailure> onLost) {
    FailureWatch watch = new FailureWatch(store, host, onFailure, onGroupFailure, onLost);
    watch.thread.start();
    return watch;
  }

  /**
   * Publishes {@code cause} as the job's failure, as {@code rank} met it. The first report wins;
   * but one who has seen another process go is believed only as long as nobody has a cause.
   */
  public static void report(Store store, int rank, RuntimeException cause) {
    report(store, store, JOB, JobFailure.of(rank, cause));
  }

  /**
   * As {@link #report(Store, int, RuntimeException)}, of the group whose place is {@code group}.
   */
  public static void reportOf(String group, Store store, int rank, RuntimeException cause) {
    reportOf(group, store, JobFailure.of(rank, cause));
  }

  /** As the other. */
  public static void reportOf(String group, Store store, JobFailure failure) {
    report(store.within(group), store, group, failure);
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

  /** As {@link #report(Store, String)}, of what somebody else has met. */
  public static String report(Store store, JobFailure failure) {
    return report(store, store, JOB, failure);
  }

  private static String report(Store place, Store store, String name, JobFailure failure) {
    JobFailure first = failure.isFirstHand() ? put(place, CAUSE, failure) : failure;
    put(place, FAILURE, first);
    new News(store).add(name);
    return first.text();
  }

  private static JobFailure put(Store store, String key, JobFailure failure) {
    return JobFailure.decode(store.compareSet(key, new byte[0], failure.encode()));
  }

  /** Removes what was reported of a job in its place {@code store}. */
  public static void forget(Store store) {
    clear(store);
    new News(store).forget();
  }

  /** All ranks of a group have left it: removes what was reported with {@link #reportOf}. */
  public static void forgetOf(String group, Store store) {
    clear(store.within(group));
    new News(store).retire(group);
  }

  private static void clear(Store place) {
    place.delete(FAILURE);
    place.delete(CAUSE);
  }

  /** Whether somebody knows why {@code store}, the place of a job or group, has failed. */
  public static boolean hasCause(Store store) {
    return store.get(CAUSE).isPresent();
  }

  /** Whether anybody has told that {@code store}, the place of a job or group, has failed. */
  public static boolean hasFailure(Store store) {
    return store.get(FAILURE).isPresent();
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
    Consumer<JobFailure> hearer = onFailure;
    News news = new News(store);
    while (!closed && failure.isEmpty()) {
      try {
        host.look(store);
        failure = news.next(host.round()).flatMap(this::heard);
      } catch (RuntimeException e) { // nobody would hear of the job's failure any more
        if (closed) {
          return;
        }
        failure = Optional.of(JobFailure.of(host.whyLost(String.valueOf(e.getMessage()))));
        hearer = onLost;
      }
    }
    if (!closed) {
      failure.ifPresent(hearer);
    }
  }

  private Optional<JobFailure> heard(String name) {
    if (name.equals(JOB)) {
      return failureOf(store);
    }
    failureOf(store.within(name)).ifPresent(failure -> onGroupFailure.accept(name, failure));
    return Optional.empty();
  }

  /**
   * How {@code place}, of a job or group, has failed; nothing if it has not, or if all whom it
   * concerned have removed it.
   */
  public static Optional<JobFailure> failureOf(Store place) {
    Optional<JobFailure> seen = place.get(FAILURE).map(JobFailure::decode);
    return seen.isEmpty() ? seen : awaitCause(place).or(() -> seen);
  }

  /** What the one who knows why {@code place}, of a job or group, has failed says in time. */
  static Optional<JobFailure> awaitCause(Store place) {
    try {
      return Optional.of(JobFailure.decode(place.await(CAUSE, Deadline.after(COURTESY))));
    } catch (DeadlineExceededException e) {
      return Optional.empty();
    }
  }
}
