// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeGreeting;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a volume, and its thread.
 *
 * <p>What a client has borrowed is taken back only once the client has closed its end: as long as
 * it has not, it may still be copying to and from the volume's memory, whatever has gone wrong
 * here.
 */
final class VolumeGuest {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeGuest.class);

  /** Longer than any pause of a client on a crowded machine; there are few strangers at a time. */
  private static final long GREETING_MS = 30_000;

  private final Guests guests;
  private final Link link;
  private final String name;
  private final Thread thread;

  VolumeGuest(Guests guests, Link link, String name) {
    this.guests = guests;
    this.link = link;
    this.name = name;
    this.thread = new Thread(this::talk, "tombolo-volume-client");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Ends the conversation soon. Thread-safe. */
  void stop() {
    link.stop();
    thread.interrupt();
  }

  /** Whether the thread has ended by {@code deadline}. */
  boolean hasEndedBy(Deadline deadline) {
    try {
      thread.join(deadline.waitMs());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  private void talk() {
    try (link) {
      if (greet()) {
        serve();
      }
    } finally {
      guests.forget(this);
    }
  }

  /** Whether it is a client. */
  private boolean greet() {
    Executor later = CompletableFuture.delayedExecutor(GREETING_MS, TimeUnit.MILLISECONDS);
    CompletableFuture<Void> tooLate =
        CompletableFuture.runAsync(() -> guests.dismissStranger(this), later);
    try {
      VolumeGreeting.asVolume(link, guests.token());
      if (!guests.admit(this)) {
        LOG.warn("the volume has too many clients, or is about to end: it turns {} away", name);
        return false;
      }
      link.send(guests.welcome().frame());
      return true;
    } catch (CorruptException e) {
      LOG.warn("the volume turns {} away: {}", name, e.getMessage());
    } catch (IOException e) {
      LOG.debug("{} has gone before it was a client: {}", name, e.toString());
    } finally {
      tooLate.cancel(false);
    }
    return false;
  }

  private void serve() {
    VolumeSession session = guests.session(link, name);
    try {
      session.serve();
    } catch (EOFException e) {
      LOG.debug("{} has gone", name);
    } catch (SocketTimeoutException e) {
      dismiss("its request does not go on: " + e.getMessage());
    } catch (IOException e) {
      LOG.debug("{} has gone: {}", name, e.toString());
    } catch (CorruptException e) {
      dismiss(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("the volume ends its connection to {} by its own fault", name, e);
      dismiss("a defect of the volume: " + e);
    } finally {
      session.end();
    }
  }

  private void dismiss(String reason) {
    LOG.warn("the volume ends its connection to {}: {}", name, reason);
    try {
      link.send(new Reply.Refused(Reply.Reason.CORRUPT, reason).frame());
      link.awaitEnd();
    } catch (IOException e) {
      LOG.debug("{} has gone", name);
    }
  }
}
