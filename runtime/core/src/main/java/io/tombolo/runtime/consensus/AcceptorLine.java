// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rank's way to one acceptor, on a thread of its own: one that says nothing holds up nobody.
 * For one caller.
 */
final class AcceptorLine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptorLine.class);
  private static final Duration CONNECT = Duration.ofSeconds(2);

  private final InetSocketAddress address;
  private final JobToken token;
  private final Function<Store, Acceptor> opener;
  private final ExecutorService thread;
  private Optional<Store> connection = Optional.empty();
  private Optional<Acceptor> acceptor = Optional.empty();
  private volatile boolean gone;
  private volatile boolean closed;

  /** To the acceptor at {@code address}; {@code opener} finds the agreement in its store. */
  AcceptorLine(InetSocketAddress address, JobToken token, Function<Store, Acceptor> opener) {
    this.address = address;
    this.token = token;
    this.opener = opener;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread created = new Thread(task, "tombolo-acceptor-" + address.getPort());
              created.setDaemon(true);
              return created;
            });
  }

  /** Asks it; nothing, if it does not answer this time. */
  <T> Future<Optional<T>> ask(Function<Acceptor, T> question) {
    return thread.submit(() -> answer(question));
  }

  /** Whether the process is known to be gone that hosted it, or to have left the communicator. */
  boolean isGone() {
    return gone;
  }

  private <T> Optional<T> answer(Function<Acceptor, T> question) {
    if (gone || closed || !isOpen()) {
      return Optional.empty();
    }
    try {
      return Optional.of(question.apply(acceptor.orElseThrow()));
    } catch (TomboloException e) { // a new connection tells whether it has ended
      LOG.debug("the acceptor at {} does not answer: {}", address, e.getMessage());
      hangUp();
      return Optional.empty();
    }
  }

  private boolean isOpen() {
    if (acceptor.isEmpty() && isListening()) {
      try {
        Deadline deadline = Deadline.after(CONNECT);
        Store store = TcpStore.connect(address, token, deadline);
        connection = Optional.of(store);
        acceptor = Optional.of(opener.apply(store));
      } catch (TomboloException e) {
        LOG.debug("the acceptor at {} does not open: {}", address, e.getMessage());
      }
    }
    return acceptor.isPresent();
  }

  /** The kernel of a host refuses for a process that has ended, and only then. */
  private boolean isListening() {
    try (Socket probe = new Socket()) {
      probe.connect(address, Math.toIntExact(CONNECT.toMillis()));
      return true;
    } catch (ConnectException e) {
      gone = true;
      return false;
    } catch (IOException e) {
      LOG.debug("the acceptor at {} is not reached: {}", address, e.toString());
      return false;
    }
  }

  private void hangUp() {
    connection.ifPresent(Store::close);
    connection = Optional.empty();
    acceptor = Optional.empty();
  }

  /** Hangs up as soon as what was asked last has ended. */
  @Override
  public void close() {
    closed = true;
    thread.execute(this::hangUp);
    thread.shutdown();
  }
}
