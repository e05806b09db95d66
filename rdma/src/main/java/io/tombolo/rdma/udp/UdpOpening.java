// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import java.util.Optional;

/** A channel on its way to being open: the side that dials, or the side that waits for it. */
sealed interface UdpOpening {
  /** Goes on; how many packets went out. */
  int progress(long nowNs);

  /** Whether words of a handshake were for this channel, which takes them. */
  boolean onGreeting(Greeting heard, UdpPath source, long nowNs);

  /** The connection once both sides are proved. */
  Optional<UdpConnection> take(long nowNs);

  /** What it is doing, for the message of a missed deadline. */
  String doing();

  /** Dials. */
  record Dialler(UdpDialling dialling, UdpConnections connections, int peer) implements UdpOpening {
    @Override
    public int progress(long nowNs) {
      return dialling.progress(nowNs);
    }

    @Override
    public boolean onGreeting(Greeting heard, UdpPath source, long nowNs) {
      return dialling.onGreeting(heard, source, nowNs);
    }

    @Override
    public Optional<UdpConnection> take(long nowNs) {
      return dialling.isWelcome()
          ? Optional.of(
              connections.open(
                  dialling.connection(), dialling.path(), peer, dialling.geometry(), nowNs))
          : Optional.empty();
    }

    @Override
    public String doing() {
      return dialling.doing();
    }
  }

  /** Waits until the peer has dialled and proved itself. */
  record Listener(UdpGreeter greeter, int peer, long channelId) implements UdpOpening {
    @Override
    public int progress(long nowNs) {
      return 0;
    }

    @Override
    public boolean onGreeting(Greeting heard, UdpPath source, long nowNs) {
      return false;
    }

    @Override
    public Optional<UdpConnection> take(long nowNs) {
      return greeter.take(peer, channelId);
    }

    @Override
    public String doing() {
      return "it has not dialled" + greeter.refusals();
    }
  }
}
