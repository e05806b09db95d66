// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.FabricSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Receives connections: lets them prove themselves, and parks those whose channel nobody here has
 * asked for yet. Bounded in number and time, whoever dials: while the room is full others wait in
 * the listener's queue, until the oldest stranger has had its time; silent ones are shown out.
 */
final class Greeter implements AutoCloseable {
  /** Beside those that are awaited. */
  static final int MAX_STRANGERS = 64;

  /** Undisturbed even if others wait: for a peer on a quiet machine enough for 100 handshakes. */
  static final Duration GRACE = Duration.ofMillis(250);

  static final int MAX_PARKED = 1024;

  /** Many times what a handshake takes: a peer on a crowded machine stands still for seconds. */
  static final Duration STRANGER_BUDGET = Duration.ofSeconds(30);

  private final Medium medium;
  private final FabricSettings settings;
  private final ArrayDeque<Stranger> strangers = new ArrayDeque<>();
  private final Map<Key, Guest> parked = new HashMap<>();
  private final Refusals refusals;
  private int awaited;
  private boolean shortOfFiles;

  Greeter(Medium medium, FabricSettings settings) {
    this.medium = medium;
    this.settings = settings;
    this.refusals = new Refusals(settings.rank(), medium.name());
  }

  /** Whether nobody is in the middle of a handshake. */
  boolean isIdle() {
    return strangers.isEmpty();
  }

  /** One peer more, or less, is known to dial. */
  void awaits(int change) {
    awaited += change;
  }

  /** Whether the last that came could not be let in, and no stranger will leave and make room. */
  boolean isShortOfFiles() {
    return shortOfFiles;
  }

  /** Goes on with handshakes and accepts; returns how many connections took a step. */
  int progress() {
    int steps = strangers.isEmpty() ? 0 : greet(); // first: whoever has proved itself makes room
    return steps + (hasRoom() || strangers.getFirst().hadItsTime() ? admit() : 0);
  }

  private boolean hasRoom() {
    return strangers.size() < MAX_STRANGERS + awaited;
  }

  /** The connection that {@code peer} has opened for {@code channelId}, now the caller's. */
  Optional<Guest> take(int peer, long channelId) {
    return parked.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(parked.remove(new Key(peer, channelId)));
  }

  /**
   * What became of connections that were turned away, for error messages; empty if there were none.
   */
  String refusals() {
    return refusals.toString();
  }

  @Override
  public void close() {
    List<PeerSocket> all = new ArrayList<>();
    strangers.forEach(stranger -> all.add(stranger.socket));
    parked.values().forEach(guest -> all.add(guest.socket()));
    strangers.clear();
    parked.clear();
    all.forEach(Sockets::closeQuietly);
  }

  private int admit() {
    try {
      Optional<PeerSocket> socket = medium.accept();
      if (socket.isEmpty()) {
        return 0;
      }
      shortOfFiles = false;
      welcome(socket.get());
      return 1;
    } catch (IOException | TomboloException e) {
      refusals.add(e); // it was gone again, or this process is short of descriptors
      shortOfFiles = strangers.isEmpty() && OpenFiles.ranOut(e);
      return 0;
    }
  }

  private void welcome(PeerSocket socket) {
    if (!hasRoom()) {
      turnAway(strangers.removeFirst(), new IOException("too many connections came at once"));
    }
    strangers.addLast(new Stranger(socket, medium, settings));
  }

  private int greet() {
    int steps = 0;
    for (Iterator<Stranger> all = strangers.iterator(); all.hasNext(); ) {
      Stranger stranger = all.next();
      try {
        if (stranger.progress()) {
          all.remove();
          park(stranger);
          steps++;
        }
      } catch (IOException | TomboloException e) {
        all.remove();
        turnAway(stranger, e);
      }
    }
    return steps;
  }

  private void park(Stranger stranger) {
    Key key = stranger.key();
    if (parked.containsKey(key) || parked.size() == MAX_PARKED) {
      turnAway(stranger, new IOException("rank " + key.peer + " has too many connections parked"));
    } else {
      Handshake done = stranger.handshake;
      parked.put(key, new Guest(stranger.socket, done.geometry(), done.isOnTrial()));
    }
  }

  private void turnAway(Stranger stranger, Exception why) {
    Sockets.closeQuietly(stranger.socket);
    refusals.add(why);
  }

  private record Key(int peer, long channelId) {}

  /** A connection that has proved nothing yet. */
  private static final class Stranger {
    private final PeerSocket socket;
    private final Handshake handshake;
    private final Deadline deadline;

    Stranger(PeerSocket socket, Medium medium, FabricSettings settings) {
      this(
          socket,
          new ListenerHandshake(
              medium.name(),
              settings.token(),
              settings.rank(),
              settings.geometry(),
              medium.mayBeLeft()),
          settings.ticker());
    }

    private Stranger(PeerSocket socket, Handshake handshake, Ticker ticker) {
      this.socket = socket;
      this.handshake = handshake;
      this.deadline = Deadline.after(ticker, STRANGER_BUDGET);
    }

    boolean hadItsTime() {
      return deadline.elapsedNs() > GRACE.toNanos();
    }

    boolean progress() throws IOException {
      if (deadline.isExpired()) {
        throw new IOException(
            "it did not prove itself within " + STRANGER_BUDGET.toMillis() + " ms");
      }
      return handshake.progress(socket);
    }

    Key key() {
      return new Key(handshake.peerHello().rank(), handshake.peerHello().channelId());
    }
  }
}
