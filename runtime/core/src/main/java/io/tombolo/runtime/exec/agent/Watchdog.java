// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the rounds from a thread of its own: whoever makes one may get stuck in a vendor's
 * call, and then sees no deadline expire. While a round lasts too long, the duties are told so, and
 * end what is overdue.
 *
 * <p>It looks once a second, and more often while something is stuck; a round costs no more for it
 * than the note of when it began.
 */
final class Watchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Round round;
  private final Supplier<Thread> driver;
  private final Thread thread = new Thread(this::run, "tombolo-watchdog");
  private volatile boolean running = true;

  /** When the round began that was last found stuck; the watchdog's thread's. */
  private long reported = Round.NONE;

  /** Of {@code round}, which {@code driver} makes; {@link #start} begins. */
  Watchdog(Round round, Supplier<Thread> driver) {
    this.round = round;
    this.driver = driver;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (running) {
      boolean stuck = stuckRound().map(this::tell).orElse(false);
      LockSupport.parkNanos(stuck ? CLOSE_LOOK_NS : LOOK_NS);
    }
  }

  private boolean tell(StuckRound stuck) {
    long since = round.sinceNs();
    if (since != reported) {
      reported = since;
      LOG.warn("the agent is {}", stuck.text());
    }
    round.tellStuck(stuck);
    return true;
  }

  /** The round under way, if it lasts too long. Thread-safe. */
  Optional<StuckRound> stuckRound() {
    long since = round.sinceNs();
    long lastedNs = System.nanoTime() - since;
    if (since == Round.NONE || lastedNs < LOOK_NS) {
      return Optional.empty();
    }
    Thread stuck = driver.get();
    String call = round.callUnderWay().orElseGet(() -> innermost(stuck));
    return Optional.of(new StuckRound(stuck.getName(), call, Duration.ofNanos(lastedNs)));
  }

  private static String innermost(Thread thread) {
    StackTraceElement[] frames = thread.getStackTrace();
    return frames.length == 0
        ? "code that has no frames"
        : frames[0].getClassName() + "." + frames[0].getMethodName();
  }

  @Override
  public void close() {
    running = false;
    LockSupport.unpark(thread);
  }
}
