// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.Welcome;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is connected to a volume: strangers, who have not proved the token yet, and clients. Both are
 * bounded; the oldest stranger gives way to a new one. Thread-safe.
 */
final class Guests {
  private static final Logger LOG = LoggerFactory.getLogger(Guests.class);
  private static final int MAX_STRANGERS = 64;
  private static final int MAX_CLIENTS = 512;

  private final Catalog catalog;
  private final Holdings holdings;
  private final JointPuts jointPuts;
  private final Exposures exposures;
  private final MemoryFile memory;
  private final Welcome welcome;
  private final JobToken token;
  private final Duration patience;

  /** Shorter than clients wait for an answer, unless they say otherwise: they hear why. */
  private final Duration roomPatience;

  private final Set<VolumeGuest> strangers = new LinkedHashSet<>();
  private final Set<VolumeGuest> clients = new LinkedHashSet<>();
  private boolean closed;

  Guests(
      Catalog catalog,
      Holdings holdings,
      Exposures exposures,
      MemoryFile memory,
      Welcome welcome,
      JobToken token,
      Duration patience) {
    this.catalog = catalog;
    this.holdings = holdings;
    this.roomPatience = patience.dividedBy(2);
    this.jointPuts = new JointPuts(catalog, roomPatience);
    this.exposures = exposures;
    this.memory = memory;
    this.welcome = welcome;
    this.token = token;
    this.patience = patience;
  }

  /** Starts a conversation with who called. */
  synchronized void receive(SocketChannel caller) throws IOException {
    Link link;
    try {
      link = Link.accepted(caller, patience);
    } catch (IOException e) {
      LOG.debug("a caller has gone at once", e);
      return;
    }
    if (closed) {
      link.close();
      return;
    }
    if (strangers.size() >= MAX_STRANGERS) {
      VolumeGuest oldest = strangers.iterator().next();
      strangers.remove(oldest);
      oldest.stop();
    }
    VolumeGuest guest = new VolumeGuest(this, link, String.valueOf(caller.getRemoteAddress()));
    strangers.add(guest);
    guest.start();
  }

  /** Whether the stranger may stay as a client, now that it has proved the token. */
  synchronized boolean admit(VolumeGuest guest) {
    boolean admitted = strangers.remove(guest) && clients.size() < MAX_CLIENTS && !closed;
    if (admitted) {
      clients.add(guest);
    }
    return admitted;
  }

  /** Ends the conversation unless it is a client by now. */
  synchronized void dismissStranger(VolumeGuest guest) {
    if (strangers.remove(guest)) {
      guest.stop();
    }
  }

  /** It has gone. */
  synchronized void forget(VolumeGuest guest) {
    strangers.remove(guest);
    clients.remove(guest);
  }

  VolumeSession session(Link link, String name) {
    return new VolumeSession(
        catalog, holdings, jointPuts, exposures, memory, link, name, roomPatience, this::count);
  }

  Welcome welcome() {
    return welcome;
  }

  JobToken token() {
    return token;
  }

  /** Ends all conversations; whether they have all ended by {@code limit}. */
  boolean dismissAll(Duration limit) {
    Deadline deadline = Deadline.after(limit);
    boolean ended = true;
    for (VolumeGuest guest : stopped()) {
      ended &= guest.hasEndedBy(deadline);
    }
    return ended;
  }

  private synchronized List<VolumeGuest> stopped() {
    closed = true;
    List<VolumeGuest> all = new ArrayList<>(strangers);
    all.addAll(clients);
    all.forEach(VolumeGuest::stop);
    return all;
  }

  private synchronized int count() {
    return clients.size();
  }
}
