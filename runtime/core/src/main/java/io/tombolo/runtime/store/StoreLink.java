// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Requests and replies over one socket, one exchange at a time, with every failure as a sentence.
 * Waits hold nobody up: they step aside, by being cancelled and made again.
 *
 * <p>Thread-safe. An exchange that fails half way leaves the two sides out of step, so it ends the
 * connection; later exchanges repeat why.
 */
final class StoreLink implements AutoCloseable {
  /** What is asked and answered in one exchange. */
  interface Exchange<T> {
    T run(Conversation io) throws IOException;
  }

  /** Two looks at the time: of those of a silence that is counted, each is a part. */
  private static final Duration STEP = Duration.ofMillis(2 * SocketLink.LOOK_MS);

  private static final int LEAST_STEPS = 4;

  /** So long one of several waits has its turn. */
  private static final Duration SLICE = Duration.ofMillis(50);

  private static final String CLOSED = "this process closed the connection";
  private static final String HAS_ENDED =
      "has ended, was killed, or has dropped this process: see its output";
  private static final String IS_SILENT = "is stopped, or its host is down, or cut off from here";

  private final SocketLink socket;
  private final String where;
  private final Duration silence;
  private final ReentrantLock turn = new ReentrantLock(true);
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger waits = new AtomicInteger();
  private volatile String failure = "";
  private volatile String fate = HAS_ENDED;
  private volatile Optional<LastWords> lastWords = Optional.empty();

  private StoreLink(SocketLink socket, String where, Duration silence) {
    this.socket = socket;
    this.where = where;
    this.silence = silence;
    socket.shield();
  }

  /**
   * Connects until {@code deadline}.
   *
   * @param silence whoever has not answered for so long is lost
   */
  static StoreLink open(
      InetSocketAddress address, Optional<JobToken> token, Duration silence, Deadline deadline) {
    String where = "the store at " + address.getHostString() + ":" + address.getPort();
    return new StoreLink(
        new Introduction(address, token, where, deadline).socket(), where, silence);
  }

  String where() {
    return where;
  }

  /**
   * One request and its answer; a wait of another thread steps aside for it. Who is kept waiting
   * for a turn still lets the store have its time: an answer that is given up ends the connection.
   */
  <T> T exchange(String what, Deadline deadline, Exchange<T> exchange) {
    requests.incrementAndGet();
    socket.wake();
    try {
      takeTurn(what, deadline);
    } finally {
      requests.decrementAndGet();
    }
    Duration own = Duration.ofNanos(deadline.budgetNs());
    boolean isShort = own.compareTo(silence) < 0;
    return converse(what, isShort ? Optional.of(Deadline.after(own)) : Optional.empty(), exchange);
  }

  /** The answer is awaited until {@code deadline}; where there is none, until silence counts. */
  private <T> T converse(String what, Optional<Deadline> deadline, Exchange<T> exchange) {
    try {
      return exchange.run(new Conversation(socket, deadline.orElseGet(this::endOfSilence)));
    } catch (SocketTimeoutException e) {
      throw deadline.map(missed -> late(what, missed, e)).orElseGet(() -> silent(what, e));
    } catch (IOException e) {
      lastWords = lastWords(e);
      fail(e.getMessage());
      throw lost(what, e);
    } catch (CorruptException e) {
      fail(e.getMessage());
      throw e;
    } finally {
      socket.unshield();
      turn.unlock();
    }
  }

  /** Those of a store that has hung up, which may have come before {@code e} was seen. */
  private Optional<LastWords> lastWords(IOException e) {
    if (e instanceof LastWords words) {
      return Optional.of(words);
    }
    try {
      long unused = new Conversation(socket, Deadline.after(Duration.ZERO)).i64();
      return Optional.empty();
    } catch (LastWords words) {
      return Optional.of(words);
    } catch (IOException | CorruptException none) {
      return Optional.empty();
    }
  }

  /**
   * Whether the wait ended with success before {@code deadline}; the connection is usable either
   * way.
   */
  boolean await(Request.Wait wait, String what, Deadline deadline, Waits view) {
    waits.incrementAndGet();
    socket.wake();
    try {
      while (true) {
        takeTurn(what, deadline);
        if (converse(what, Optional.empty(), io -> hasCome(io, wait, deadline, view))) {
          return true;
        }
        view.check(what);
        if (Thread.currentThread().isInterrupted()) {
          throw new AbortedException("interrupted in " + where + ": " + what);
        }
        if (deadline.isExpired()) {
          return false;
        }
      }
    } finally {
      waits.decrementAndGet();
    }
  }

  /** Waits until the keys have come, or somebody else is to have a turn. */
  private boolean hasCome(Conversation io, Request.Wait wait, Deadline deadline, Waits view)
      throws IOException {
    Deadline slice = Deadline.after(SLICE);
    io.ask(wait);
    if (socket.awaitInput(() -> patienceMs(deadline, slice, view))) {
      return io.u8() == StoreProtocol.STOP_WAITING;
    }
    return !isCanceled(new Conversation(socket, endOfSilence()));
  }

  private Deadline endOfSilence() {
    Duration part = silence.dividedBy(LEAST_STEPS);
    Duration step = part.compareTo(STEP) < 0 ? part : STEP;
    return Deadline.after(new WakingTime(Ticker.systemTicker(), step), silence);
  }

  private int patienceMs(Deadline deadline, Deadline slice, Waits view) {
    if (view.areOver() || requests.get() > 0) {
      return 0;
    }
    return waits.get() > 1
        ? Math.min(slice.remainingMs(), deadline.remainingMs())
        : deadline.remainingMs();
  }

  /** Has waits look whether they are to go on. */
  void wake() {
    socket.wake();
  }

  @Override
  public void close() {
    fail(CLOSED);
  }

  private static boolean isCanceled(Conversation io) throws IOException {
    boolean canceled = io.ask(new Request.CancelWait()).u8() == StoreProtocol.WAIT_CANCELED;
    if (!canceled) {
      io.u8(); // the keys came while we cancelled: the answer to the cancellation follows
    }
    return canceled;
  }

  private void takeTurn(String what, Deadline deadline) {
    if (!tryTurn(deadline)) {
      throw new DeadlineExceededException(
          "other threads used %s for %s ms, so this one could not %s; allow more time, or use fewer threads"
              .formatted(where, deadline.budgetNs() / 1_000_000, what));
    }
    if (!failure.isEmpty()) {
      turn.unlock();
      throw lost(what, null);
    }
  }

  /** An interrupt waits, too: who gives up must be able to say so. */
  private boolean tryTurn(Deadline deadline) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return turn.tryLock(Math.max(0, deadline.remainingNs()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private TomboloException late(String what, Deadline deadline, IOException e) {
    String missed = "did not answer within " + deadline.budgetNs() / 1_000_000 + " ms";
    fail("it " + missed);
    return new DeadlineExceededException("%s %s: %s".formatted(where, missed, what), e);
  }

  private TomboloException silent(String what, IOException e) {
    fate = IS_SILENT;
    fail("it has said nothing for " + silence.toMillis() + " ms");
    return lost(what, e);
  }

  private TomboloException lost(String what, IOException cause) {
    if (failure.equals(CLOSED)) {
      return new AbortedException(
          "%s: %s, so it could not %s".formatted(where, CLOSED, what), cause);
    }
    if (lastWords.isPresent()) {
      return new ResourceException(
          "%s has dropped this process, which so could not %s: %s"
              .formatted(where, what, lastWords.get().getMessage()),
          lastWords.get());
    }
    return new PeerFailedException(
        "%s is lost (%s), so this process could not %s; its host process, the job's launcher or rank 0, %s"
            .formatted(where, failure, what, fate),
        cause);
  }

  private void fail(String reason) {
    if (failure.isEmpty()) {
      failure = String.valueOf(reason);
    }
    socket.close();
  }
}
