// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
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

  /**
   * A server that is alive answers a cancelled wait at once, but for one on a crowded machine. That
   * its process has ended is heard of at once, whatever this is.
   */
  private static final Duration CANCEL = Duration.ofSeconds(15);

  /** So long one of several waits has its turn. */
  private static final Duration SLICE = Duration.ofMillis(50);

  private static final String CLOSED = "this process closed the connection";

  private final SocketLink socket;
  private final String where;
  private final ReentrantLock turn = new ReentrantLock(true);
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger waits = new AtomicInteger();
  private volatile String failure = "";

  private StoreLink(SocketLink socket, String where) {
    this.socket = socket;
    this.where = where;
    socket.shield();
  }

  static StoreLink open(InetSocketAddress address, Optional<JobToken> token, Deadline deadline) {
    String where = "the store at " + address.getHostString() + ":" + address.getPort();
    return new StoreLink(new Introduction(address, token, where, deadline).socket(), where);
  }

  String where() {
    return where;
  }

  /** One request and its answer; a wait of another thread steps aside for it. */
  <T> T exchange(String what, Deadline deadline, Exchange<T> exchange) {
    requests.incrementAndGet();
    socket.wake();
    try {
      takeTurn(what, deadline);
    } finally {
      requests.decrementAndGet();
    }
    return converse(what, deadline, exchange);
  }

  private <T> T converse(String what, Deadline deadline, Exchange<T> exchange) {
    try {
      return exchange.run(new Conversation(socket, deadline));
    } catch (IOException e) {
      throw failed(what, deadline, e);
    } catch (CorruptException e) {
      fail(e.getMessage());
      throw e;
    } finally {
      socket.unshield();
      turn.unlock();
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
        if (converse(what, deadline, io -> hasCome(io, wait, deadline, view))) {
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
    return !isCanceled(new Conversation(socket, Deadline.after(CANCEL)));
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
          "other threads used %s for %s ms, so this one could not %s"
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

  private TomboloException failed(String what, Deadline deadline, IOException e) {
    fail(e.getMessage());
    if (e instanceof SocketTimeoutException) {
      return new DeadlineExceededException(
          "%s did not answer within %s ms: %s"
              .formatted(where, deadline.budgetNs() / 1_000_000, what),
          e);
    }
    return lost(what, e);
  }

  private TomboloException lost(String what, IOException cause) {
    if (failure.equals(CLOSED)) {
      return new AbortedException(
          "%s: %s, so it could not %s".formatted(where, CLOSED, what), cause);
    }
    return new PeerFailedException(
        "%s is lost (%s), so this process could not %s; its host process, the job's launcher, has"
                .formatted(where, failure, what)
            + " ended or was killed: see its output",
        cause);
  }

  private void fail(String reason) {
    if (failure.isEmpty()) {
      failure = String.valueOf(reason);
    }
    socket.close();
  }
}
