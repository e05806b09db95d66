// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's first words: connect, prove the token both ways, VALIDATE, and hear a PING come back.
 */
final class Introduction {
  private static final Logger LOG = LoggerFactory.getLogger(Introduction.class);
  private static final long RETRY_MS = 50;

  /** How often it says that it waits; a call that nobody answers is made anew as often. */
  private static final Duration NOTICE = Duration.ofSeconds(10);

  /**
   * Who hangs up before it has shown that it knows the token may be a store that made room for
   * others, or no store of ours at all.
   */
  private static final int ATTEMPTS_WITH_STRANGERS = 10;

  private final InetSocketAddress address;
  private final Optional<JobToken> token;
  private final String where;
  private final Deadline deadline;
  private Deadline notice = Deadline.after(NOTICE);
  private boolean knowsToken;
  private int attempts;

  Introduction(
      InetSocketAddress address, Optional<JobToken> token, String where, Deadline deadline) {
    this.address = address;
    this.token = token;
    this.where = where;
    this.deadline = deadline;
  }

  /** A socket past the introduction; tries again where the store has hung up. */
  SocketLink socket() {
    while (true) {
      SocketLink socket = connect();
      try {
        attempts++;
        introduce(socket);
        return socket;
      } catch (IOException e) {
        socket.close();
        if (!mayTryAgain(e)) {
          throw refused(e);
        }
        pause();
      } catch (RuntimeException e) {
        socket.close();
        throw e;
      }
    }
  }

  private void introduce(SocketLink socket) throws IOException {
    if (token.isPresent()) {
      proveToken(socket, token.get());
    }
    validate(socket);
  }

  private boolean mayTryAgain(IOException e) {
    return token.isPresent()
        && !(e instanceof InterruptedIOException) // a timeout is one, too
        && deadline.remainingMs() > RETRY_MS
        && (knowsToken || attempts < ATTEMPTS_WITH_STRANGERS);
  }

  private SocketLink connect() {
    if (address.isUnresolved()) {
      throw absent(new UnknownHostException("unknown host"));
    }
    while (true) {
      try {
        return SocketLink.connect(address, attempt());
      } catch (SocketTimeoutException e) {
        if (deadline.isExpired()) {
          throw absent(e);
        }
        tellThatItWaits(e);
      } catch (InterruptedIOException e) {
        throw new AbortedException("interrupted while connecting to " + where, e);
      } catch (IOException e) {
        if (OpenFiles.ranOut(e)) {
          throw OpenFiles.noneLeft("cannot connect to " + where, e);
        }
        if (deadline.remainingMs() <= RETRY_MS) {
          throw absent(e);
        }
        tellThatItWaits(e);
        pause();
      }
    }
  }

  private Deadline attempt() {
    return deadline.remainingNs() < NOTICE.toNanos() ? deadline : Deadline.after(NOTICE);
  }

  private void tellThatItWaits(IOException e) {
    if (notice.isExpired()) {
      LOG.warn(
          "nobody answers at {}:{} ({}); trying for {} s more",
          address.getHostString(),
          address.getPort(),
          e.getMessage(),
          deadline.remainingMs() / 1000);
      notice = Deadline.after(NOTICE);
    }
  }

  private void proveToken(SocketLink socket, JobToken secret) throws IOException {
    byte[] clientNonce = JobToken.nonce();
    socket.send(StoreHandshake.hello(clientNonce), deadline);
    ByteBuffer answer = socket.receive(StoreHandshake.ANSWER_BYTES, deadline);
    byte[] serverNonce = StoreHandshake.take(answer);
    if (!StoreHandshake.isServer(secret, StoreHandshake.take(answer), clientNonce, serverNonce)) {
      throw new MismatchException(
          where
              + " belongs to another job: it does not know this process's token; give both the same"
              + " TOMBOLO_TOKEN");
    }
    knowsToken = true;
    socket.send(StoreHandshake.clientProof(secret, clientNonce, serverNonce), deadline);
  }

  private void validate(SocketLink socket) throws IOException {
    byte[] nonce = Arrays.copyOf(JobToken.nonce(), Integer.BYTES);
    int ping = ByteBuffer.wrap(nonce).getInt();
    byte[] validate =
        new WireWriter().u8(StoreProtocol.VALIDATE).u32(StoreProtocol.VALIDATE_MAGIC).toBytes();
    socket.send(validate, deadline);
    Conversation io = new Conversation(socket, deadline);
    int answer = io.ask(new Request.Ping(ping)).u32();
    if (knowsToken && answer == StoreProtocol.full(ping)) {
      throw new ResourceException(
          where
              + " has as many clients as it may; each rank takes two of them: start fewer ranks in one"
              + " job, or end those that need it no longer");
    }
    if (answer != ping) {
      throw new MismatchException(
          where
              + " answers, but not as a TCPStore of torch 2.x does; look whether MASTER_ADDR and"
              + " MASTER_PORT are the store's");
    }
  }

  private RuntimeException refused(IOException e) {
    if (e instanceof SocketTimeoutException) {
      return new UnavailableException(
          ("%s took the connection but said nothing for %s ms; is something else listening there, or"
                  + " may its process have too few files open (ulimit -n)?")
              .formatted(where, deadline.budgetNs() / 1_000_000),
          e);
    }
    if (e instanceof InterruptedIOException) {
      return new AbortedException("interrupted while connecting to " + where, e);
    }
    String how = e instanceof EOFException ? "closed the connection" : e.toString();
    if (knowsToken) {
      return new UnavailableException(
          where
              + " has this job's token, but has hung up "
              + attempts
              + " times within "
              + deadline.elapsedNs() / 1_000_000
              + " ms ("
              + how
              + "): the job has ended, or its host is too busy with others",
          e);
    }
    String fix =
        token.isPresent()
            ? "is it a store without handshake (torchrun's)? Then set TOMBOLO_STORE=torch; else give"
                + " both sides the same TOMBOLO_TOKEN"
            : "it may ask for a job token: set TOMBOLO_STORE=tombolo and TOMBOLO_TOKEN";
    return new MismatchException(where + " refused this process (" + how + "); " + fix, e);
  }

  private UnavailableException absent(IOException e) {
    return new UnavailableException(
        "nobody answers at %s:%s within %s ms (%s); is the launcher running, and are MASTER_ADDR and"
                .formatted(
                    address.getHostString(),
                    address.getPort(),
                    deadline.budgetNs() / 1_000_000,
                    e.getMessage())
            + " MASTER_PORT what it printed?",
        e);
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while connecting to " + where, e);
    }
  }
}
