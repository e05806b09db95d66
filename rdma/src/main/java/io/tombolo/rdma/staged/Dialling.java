// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import java.io.IOException;
import java.util.Optional;

/**
 * Connects to the peer and proves itself. A listener whom too many strangers crowd may hang up on
 * it before it has heard enough: then it dials again, some times.
 */
final class Dialling implements Opening {
  private static final int MAX_REDIALS = 5;
  private static final long FIRST_PAUSE_NS = 50_000_000;

  /** Begins a connection, and the words that prove whose it is. */
  interface Call {
    /** The socket, which is still connecting. */
    PeerSocket dial();

    /** Words with a fresh nonce. */
    DiallerHandshake handshake();
  }

  private final Medium medium;
  private final Call call;
  private final Deadline deadline;
  private PeerSocket socket;
  private DiallerHandshake handshake;
  private int redials;
  private long againNs;
  private boolean connected;
  private boolean linked;

  Dialling(Medium medium, Call call, Deadline deadline) {
    this.medium = medium;
    this.call = call;
    this.deadline = deadline;
    dial();
  }

  private void dial() {
    socket = call.dial();
    handshake = call.handshake();
    connected = false;
  }

  @Override
  public Optional<MessageLink> progress(TransferQueue sends, TransferQueue receives)
      throws IOException {
    if (deadline.elapsedNs() < againNs || !isProved()) {
      return Optional.empty();
    }
    MessageLink link =
        medium.messages(
            new Joined(
                handshake.peerHello().rank(),
                handshake.peerHello().channelId(),
                socket,
                handshake.geometry(),
                true,
                handshake.isOnTrial() ? Optional.of(deadline) : Optional.empty()),
            sends,
            receives);
    linked = true; // until then the socket is closed here
    return Optional.of(link);
  }

  private boolean isProved() throws IOException {
    if (againNs > 0) {
      againNs = 0;
      dial();
    }
    connected = connected || socket.finishConnect();
    try {
      return connected && handshake.progress(socket);
    } catch (IOException hungUp) {
      if (redials == MAX_REDIALS) {
        throw hungUp;
      }
      Sockets.closeQuietly(socket);
      againNs = deadline.elapsedNs() + (FIRST_PAUSE_NS << redials++);
      return false;
    }
  }

  @Override
  public String doing() {
    return connected
        ? "it accepted the connection but does not answer" + (redials > 0 ? ", or hangs up" : "")
        : "the connection is not accepted";
  }

  @Override
  public void close() {
    if (!linked) {
      Sockets.closeQuietly(socket);
    }
  }
}
