package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Requests and replies over one socket, one exchange at a time, with every failure as a sentence.
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

  private static final String CLOSED = "this process closed the connection";

  private final SocketLink socket;
  private final String where;
  private final ReentrantLock turn = new ReentrantLock();
  private volatile String failure = "";

  private StoreLink(SocketLink socket, String where) {
    this.socket = socket;
    this.where = where;
  }

  static StoreLink open(InetSocketAddress address, Optional<JobToken> token, Deadline deadline) {
    String where = "the store at " + address.getHostString() + ":" + address.getPort();
    return new StoreLink(new Introduction(address, token, where, deadline).socket(), where);
  }

  String where() {
    return where;
  }

  <T> T exchange(String what, Deadline deadline, Exchange<T> exchange) {
    takeTurn(what, deadline);
    try {
      return exchange.run(new Conversation(socket, deadline));
    } catch (IOException e) {
      throw failed(what, deadline, e);
    } catch (CorruptException e) {
      fail(e.getMessage());
      throw e;
    } finally {
      turn.unlock();
    }
  }

  /**
   * Whether the wait ended with success before {@code deadline}; the connection is usable either
   * way.
   */
  boolean await(Request.Wait wait, String what, Deadline deadline) {
    return exchange(
        what,
        deadline,
        io -> {
          io.ask(wait);
          try {
            return io.u8() == Wire.STOP_WAITING;
          } catch (SocketTimeoutException e) {
            return !isCanceled(new Conversation(socket, Deadline.after(CANCEL)));
          }
        });
  }

  @Override
  public void close() {
    fail(CLOSED);
  }

  private static boolean isCanceled(Conversation io) throws IOException {
    boolean canceled = io.ask(new Request.CancelWait()).u8() == Wire.WAIT_CANCELED;
    if (!canceled) {
      io.u8(); // the keys came while we cancelled: the answer to the cancellation follows
    }
    return canceled;
  }

  private void takeTurn(String what, Deadline deadline) {
    try {
      if (!turn.tryLock(Math.max(0, deadline.remainingNs()), TimeUnit.NANOSECONDS)) {
        throw new DeadlineExceededException(
            "another thread used %s for %d ms, so this one could not %s"
                .formatted(where, deadline.budgetNs() / 1_000_000, what));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted before it could " + what + " in " + where, e);
    }
    if (!failure.isEmpty()) {
      turn.unlock();
      throw lost(what, null);
    }
  }

  private TomboloException failed(String what, Deadline deadline, IOException e) {
    fail(e.getMessage());
    if (e instanceof SocketTimeoutException) {
      return new DeadlineExceededException(
          "%s did not answer within %d ms: %s"
              .formatted(where, deadline.budgetNs() / 1_000_000, what),
          e);
    }
    if (e instanceof InterruptedIOException) {
      return new AbortedException("interrupted in " + where + ": " + what, e);
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
