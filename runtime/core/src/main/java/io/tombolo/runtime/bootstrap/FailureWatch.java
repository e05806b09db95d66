package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

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
  private static final String KEY = "job/failure";
  private static final Duration ROUND = Duration.ofSeconds(5);

  private final Store store;
  private final Consumer<String> onFailure;
  private final Thread thread;
  private volatile boolean closed;

  private FailureWatch(Store store, Consumer<String> onFailure) {
    this.store = store;
    this.onFailure = onFailure;
    this.thread = new Thread(this::watch, "tombolo-failure-watch");
    thread.setDaemon(true);
  }

  /**
   * Watches over {@code store}, a connection that nobody else uses and that {@link #close} closes.
   *
   * @param onFailure gets the failure's text, at most once, on the watch's thread
   */
  public static FailureWatch start(Store store, Consumer<String> onFailure) {
    FailureWatch watch = new FailureWatch(store, onFailure);
    watch.thread.start();
    return watch;
  }

  /**
   * Publishes {@code text} as the job's failure unless there is one already; the first one's text.
   */
  public static String report(Store store, String text) {
    return new String(store.compareSet(KEY, new byte[0], text.getBytes(UTF_8)), UTF_8);
  }

  /** As {@link #report(Store, String)}, in the name of {@code rank}. */
  public static String report(Store store, int rank, String text) {
    return report(store, "rank " + rank + ": " + text);
  }

  /** The job's failure so far. */
  public static Optional<String> first(Store store) {
    return store.get(KEY).map(bytes -> new String(bytes, UTF_8));
  }

  /** Ends the watch; {@code onFailure} is not called any more, unless it runs already. */
  @Override
  public void close() {
    closed = true;
    store.close();
    thread.interrupt();
  }

  private void watch() {
    Optional<String> failure = Optional.empty();
    while (!closed && failure.isEmpty()) {
      failure = round();
    }
    if (!closed) {
      failure.ifPresent(onFailure);
    }
  }

  private Optional<String> round() {
    try {
      return Optional.of(new String(store.await(KEY, Deadline.after(ROUND)), UTF_8));
    } catch (DeadlineExceededException e) {
      return Optional.empty();
    } catch (TomboloException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
