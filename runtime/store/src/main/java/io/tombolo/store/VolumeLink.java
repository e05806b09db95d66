// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.JobToken;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.ReplyCodec;
import io.tombolo.store.wire.VolumeGreeting;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.Welcome;
import io.tombolo.store.wire.WireBounds;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection to a volume: one call at a time, every failure as a sentence. What fails half way
 * leaves both sides out of step, so it ends the connection; later calls repeat why.
 *
 * <p>Thread-safe. It is closed between calls only: a volume takes a closed connection as the word
 * that nobody uses its memory any more.
 */
final class VolumeLink implements AutoCloseable {
  /** What is asked, answered and moved in one call. */
  interface Call<T> {
    T run() throws IOException;
  }

  private final Link link;
  private final Welcome welcome;
  private final String where;
  private final Duration timeout;
  private final ReentrantLock turn = new ReentrantLock(true);
  private volatile String failure = "";

  private VolumeLink(Link link, Welcome welcome, String where, Duration timeout) {
    this.link = link;
    this.welcome = welcome;
    this.where = where;
    this.timeout = timeout;
  }

  static VolumeLink open(InetSocketAddress address, JobToken token, Duration timeout) {
    String where = "the volume at " + address.getHostString() + ":" + address.getPort();
    if (address.isUnresolved()) {
      throw new UnavailableException(where + " is at no known host; check its name");
    }
    Link link = dial(address, where, timeout);
    try {
      return new VolumeLink(link, VolumeGreeting.asClient(link, token), where, timeout);
    } catch (IOException e) {
      link.close();
      throw new MismatchException(
          "%s does not talk to this process (%s): is it a volume of the same version, and are both TOMBOLO_TOKEN equal?"
              .formatted(where, e.getMessage()),
          e);
    } catch (TomboloException e) {
      link.close();
      throw e.during(where);
    }
  }

  private static Link dial(InetSocketAddress address, String where, Duration timeout) {
    try {
      return Link.connect(address, timeout);
    } catch (InterruptedIOException e) {
      throw e instanceof SocketTimeoutException
          ? absent(where, e)
          : new AbortedException("interrupted while connecting to " + where, e);
    } catch (IOException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot connect to " + where, e);
      }
      throw absent(where, e);
    }
  }

  private static UnavailableException absent(String where, IOException e) {
    return new UnavailableException(
        "%s does not answer (%s); is 'tombolo store serve' running there?"
            .formatted(where, e.getMessage()),
        e);
  }

  Welcome welcome() {
    return welcome;
  }

  Link link() {
    return link;
  }

  String where() {
    return where;
  }

  Duration timeout() {
    return timeout;
  }

  /** Whether the connection has ended, for whatever reason: every later call fails. */
  boolean isLost() {
    return !failure.isEmpty();
  }

  /** Runs {@code call} when it is its turn; {@code what} completes "could not …". */
  <T> T run(String what, Call<T> call) {
    takeTurn(what);
    return ran(what, call);
  }

  /**
   * Runs {@code call}, which goes on with what another call of this thread has begun, when it is
   * its turn. It waits for as long as other threads have theirs, so that nobody's long call fails
   * another half way. That ends, too: a turn ends when nothing has moved for the timeout, and this
   * connection with it; only what makes a put's tensors can take longer. An interrupt ends the
   * wait.
   */
  <T> T goOn(String what, Call<T> call) {
    takeNextTurn(what);
    return ran(what, call);
  }

  /**
   * Says what gives something back, when it is its turn. Interrupts do not keep it from that, and
   * are kept. Nothing is left to give back once the connection has ended.
   *
   * @throws DeadlineExceededException if it is not its turn for as long as calls wait: the volume
   *     has not heard of it, and the caller can try again
   */
  void giveBack(String what, VolumeRequest request) {
    try {
      takeTurnThroughInterrupts(what);
      ran(
          what,
          () -> {
            link.sendThroughInterrupts(request.frame());
            return null;
          });
    } catch (TomboloException e) {
      if (!isLost()) {
        throw e;
      }
    }
  }

  /** Runs {@code call}, whose turn it is, which ends with it. */
  private <T> T ran(String what, Call<T> call) {
    try {
      return call.run();
    } catch (SocketTimeoutException e) {
      throw new DeadlineExceededException(
          "%s: %s, so this process could not %s; look at its log, or give it longer"
              .formatted(where, fail(e.getMessage()), what),
          e);
    } catch (InterruptedIOException e) {
      fail("this process gave up in the middle of a call");
      throw new AbortedException("gave up in %s: could not %s".formatted(where, what), e);
    } catch (IOException e) {
      fail(e.getMessage());
      throw lost(what, e);
    } finally {
      turn.unlock();
    }
  }

  /** Asks and is answered; what is refused is thrown, and leaves the connection as it is. */
  Reply ask(VolumeRequest request) throws IOException {
    return accepted(inquire(request));
  }

  /** Asks and is answered, be it by a refusal. */
  Reply inquire(VolumeRequest request) throws IOException {
    ByteBuffer frame = request.frame();
    return whole(
        () -> {
          send(frame);
          return received();
        });
  }

  /** Says what has no answer, or one that is taken later. */
  void tell(VolumeRequest request) throws IOException {
    send(request.frame());
  }

  /** Nothing is asked for any more once this is to be closed, however quick the answer may be. */
  private void send(ByteBuffer frame) throws IOException {
    link.requireGoing();
    link.send(frame);
  }

  /**
   * Says what gives something up after {@code failure}, which is what the caller has to hear: if
   * this fails too, the connection has ended, and nothing is left to give up.
   */
  void tellAfter(Throwable failure, VolumeRequest request) {
    if (isLost()) {
      return;
    }
    try {
      tell(request);
    } catch (IOException e) {
      fail(e.getMessage());
      failure.addSuppressed(e);
    }
  }

  /** The next answer, be it a refusal. */
  Reply reply() throws IOException {
    return whole(this::received);
  }

  /** The next answer. */
  Reply answer() throws IOException {
    return accepted(reply());
  }

  /**
   * Runs a part of a call that leaves both sides out of step if it ends half way: whatever it
   * throws ends the connection.
   */
  <T> T whole(Call<T> part) throws IOException {
    try {
      return part.run();
    } catch (RuntimeException | Error e) {
      fail(e.getMessage());
      throw e;
    }
  }

  /** Fails if the other side is at its end, between calls. */
  void requireAlive() throws IOException {
    if (link.hasInput()) {
      throw strange(answer());
    }
  }

  /** An answer of a kind that nobody asked for. */
  CorruptException strange(Object answer) {
    fail("its answers make no sense");
    return new CorruptException(
        "%s answers %s, which was not asked for: is it of another version?"
            .formatted(where, answer));
  }

  private Reply received() throws IOException {
    return ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }

  private static Reply accepted(Reply reply) {
    if (reply instanceof Reply.Refused refused) {
      throw refused.error();
    }
    return reply;
  }

  /**
   * Lets calls of other threads fail. Thread-safe.
   *
   * @throws UsageException in the middle of a call of this thread, which goes on
   */
  void stop() {
    if (turn.isHeldByCurrentThread()) {
      throw new UsageException(
          "this thread is in the middle of a call of %s, and makes what it puts; close after that"
              .formatted(where));
    }
    link.stop();
  }

  /** Lets calls of other threads fail, and waits for the last of them. */
  @Override
  public void close() {
    stop();
    turn.lock();
    try {
      fail("this process closed it");
    } finally {
      turn.unlock();
    }
  }

  private void takeTurn(String what) {
    try {
      if (!turn.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        throw busy(what, "give each thread a store");
      }
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
    requireConnection(what);
  }

  private void takeNextTurn(String what) {
    try {
      turn.lockInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
    requireConnection(what);
  }

  private void takeTurnThroughInterrupts(String what) {
    if (!Uninterruptibles.tryLockUninterruptibly(turn, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
      throw busy(what, "close it again, and give each thread a store");
    }
    requireConnection(what);
  }

  /** Ends the turn that this thread has just taken if there is nothing to use it for. */
  private void requireConnection(String what) {
    if (!failure.isEmpty()) {
      turn.unlock();
      throw lost(what, null);
    }
  }

  private AbortedException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new AbortedException(
        "interrupted before it could %s in %s".formatted(what, where), cause);
  }

  private DeadlineExceededException busy(String what, String next) {
    return new DeadlineExceededException(
        "other threads used %s for %s ms, so this one could not %s; %s"
            .formatted(where, timeout.toMillis(), what, next));
  }

  private TomboloException lost(String what, IOException cause) {
    return new PeerFailedException(
        "%s is lost (%s), so this process could not %s; connect again once it runs"
            .formatted(where, failure, what),
        cause);
  }

  private String fail(String reason) {
    if (failure.isEmpty()) {
      failure = String.valueOf(reason);
    }
    link.close();
    return failure;
  }
}
