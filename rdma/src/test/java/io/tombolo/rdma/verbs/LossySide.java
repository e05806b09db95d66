// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Postings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A process that has channels over an emulated NIC: its port, and their links. */
final class LossySide implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  final NicPort nic;
  final LossyPort port;
  private final Registrations registrations;
  private final List<LossyLink> links = new ArrayList<>();
  private final Ticker clock =
      new Ticker() {
        @Override
        public long read() {
          return System.nanoTime() + aheadNs;
        }
      };
  private long aheadNs;

  LossySide(PairType type, int device) {
    nic = Devices.openIn(0, device);
    registrations = new Registrations(nic, Registrations.MOST, Ticker.systemTicker());
    LossySizing sizing =
        new LossySizing(
            type,
            PortAttributes.mtuBytes(nic.card().mtu()),
            SlotGeometry.DEFAULT,
            LossyDepths.of(type, nic.device().name(), nic.attributes()));
    port = new LossyPort(nic, sizing, registrations, HostPinner.none());
  }

  /** The two ends of a channel, and what is posted to each. */
  record Ends(LossyLink sender, Postings here, LossyLink receiver, Postings there) {}

  /** A channel from here, rank 0, to {@code high}, rank 1. */
  Ends join(LossySide high) {
    return join(high, true);
  }

  /** The same; what {@code high} sends is lost. */
  Ends joinMute(LossySide high) {
    return join(high, CardStream.pair(true), Optional.of(Faults.parse("loss=100%")));
  }

  /** The same; the card from here says that it asks for clear-to-sends only if it {@code asks}. */
  Ends join(LossySide high, boolean asks) {
    return join(high, CardStream.pair(asks), Optional.empty());
  }

  /** The same, through these sockets. */
  Ends join(LossySide high, PeerSocket[] sockets) {
    return join(high, sockets, Optional.empty());
  }

  private Ends join(LossySide high, PeerSocket[] sockets, Optional<Faults> fromHigh) {
    Postings here = new Postings();
    Postings there = new Postings();
    LossyLink sender = link(1, sockets[0], here, Optional.empty());
    return new Ends(sender, here, high.link(0, sockets[1], there, fromHigh), there);
  }

  private LossyLink link(int peer, PeerSocket socket, Postings postings, Optional<Faults> faults) {
    LossyLink link =
        new LossyLink(
            port,
            new Joined(peer, links.size(), socket, SlotGeometry.DEFAULT, peer == 1),
            postings.sends(),
            postings.receives(),
            1,
            faults,
            clock);
    links.add(link);
    return link;
  }

  /** So much time passes here, in which it stands still. */
  void pass(Duration time) {
    aheadNs += time.toNanos();
  }

  /** So much time passes here, in which it makes rounds. */
  void live(Duration time) {
    for (long stepNs = 100_000_000, leftNs = time.toNanos(); leftNs > 0; leftNs -= stepNs) {
      aheadNs += stepNs;
      progress();
    }
  }

  /** A round as the fabric makes it. */
  void progress() {
    progressPort();
    for (LossyLink link : links) {
      progress(link);
    }
  }

  /** The part of a round that is no channel's own. */
  void progressPort() {
    port.progress(clock.read());
    port.outgoing().progress();
    port.flush();
  }

  static void progress(LossyLink link) {
    try {
      link.progress();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** This side alone makes rounds until {@code condition} holds. */
  void until(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      progress();
      assertFalse(deadline.isExpired(), "nothing came of it within " + deadline);
    }
  }

  /** Both sides make rounds until {@code condition} holds. */
  static void until(BooleanSupplier condition, LossySide low, LossySide high) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      low.progress();
      high.progress();
      assertFalse(deadline.isExpired(), "nothing came of it within " + deadline);
    }
  }

  /** Ends all channels. */
  void end() {
    links.forEach(LossyLink::close);
    links.clear();
  }

  @Override
  public void close() {
    end();
    port.close();
    registrations.close();
    nic.close();
  }
}
