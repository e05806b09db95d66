// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.util.Optional;

/** How the two ends of a {@link LossyLink} are connected, and what is known of that for people. */
final class LinkOpening {
  /** How long a peer that is there never takes to answer, unless its machine is very busy. */
  private static final long LONG_SILENCE_NS = 1_000_000_000;

  private final LossyPort port;
  private final PeerEnd end;
  private final PairExchange exchange;
  private final Resolution resolution;
  private boolean connected;
  private long greetedNs;
  private boolean heard;

  /** Of {@code end}, whose peer is told of it through {@code socket}. */
  LinkOpening(LossyPort port, PeerEnd end, PeerSocket socket, Ticker ticker) {
    this.port = port;
    this.end = end;
    this.exchange = new PairExchange(socket, end.card());
    this.resolution = new Resolution(port.nic(), ticker);
  }

  /** Goes on with what the ends say to each other; how much was done. */
  int exchange() throws IOException {
    return resolution.exchange(exchange);
  }

  /** Goes on with our end; whether it is connected now, and was not before. */
  boolean connect() {
    Optional<PairCard> peer = exchange.peer();
    if (connected || peer.isEmpty()) {
      return false;
    }
    connected = resolution.attempt(() -> end.tryConnect(peer.get()));
    return connected;
  }

  /** The card of a peer to which our end is connected. */
  PairCard peer() {
    return exchange.peer().orElseThrow();
  }

  /** All that our connected end needs is there: the peer may be told. */
  void ready() {
    exchange.ready();
  }

  /** Whether both ends are connected, and each knows it of the other. */
  boolean isDone() {
    return exchange.isDone();
  }

  /** From now on the peer is asked for an answer. */
  void onGreeted(long nowNs) {
    greetedNs = nowNs;
  }

  /** A packet of the peer's has come. */
  void onHeard() {
    heard = true;
  }

  /** Whether the peer has closed its end, or its process has ended. A system call. */
  boolean isPeerGone() {
    return exchange.isPeerGone();
  }

  /** What it waits for. */
  String doing() {
    if (exchange.isDone()) {
      return NoAnswer.text(port.nic(), peer().port(), heard);
    }
    if (resolution.isFailing() || resolution.isUnderWay()) {
      return resolution.text(peer().port());
    }
    return connected
        ? "ours are connected, and the peer's queue pairs not yet; look at its output"
        : "its queue pairs are not connected yet";
  }

  /** What is known of a way that nothing was answered on, for long enough to tell. */
  String hint(long nowNs) {
    return nowNs - greetedNs < LONG_SILENCE_NS ? "" : "; here, " + doing();
  }

  /** Whether a call uses our queue pairs. */
  boolean isUnderWay() {
    return resolution.isUnderWay();
  }

  /** A call that has not begun is not made any more. */
  void cancel() {
    resolution.cancel();
  }

  /** The same; waits for one that has begun, about a second at most. */
  void end() {
    resolution.end();
  }
}
