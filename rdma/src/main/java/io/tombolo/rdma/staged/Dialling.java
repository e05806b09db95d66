// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.io.IOException;
import java.util.Optional;

/** Connects to the peer and proves itself. */
final class Dialling implements Opening {
  private final Medium medium;
  private final PeerSocket socket;
  private final DiallerHandshake handshake;
  private boolean connected;
  private boolean linked;

  Dialling(Medium medium, PeerSocket socket, DiallerHandshake handshake) {
    this.medium = medium;
    this.socket = socket;
    this.handshake = handshake;
  }

  @Override
  public Optional<MessageLink> progress(TransferQueue sends, TransferQueue receives)
      throws IOException {
    connected = connected || socket.finishConnect();
    if (!connected || !handshake.progress(socket)) {
      return Optional.empty();
    }
    MessageLink link =
        medium.messages(
            new Joined(handshake.peerHello().rank(), socket, handshake.geometry(), true),
            sends,
            receives);
    linked = true; // until then the socket is closed here
    return Optional.of(link);
  }

  @Override
  public String doing() {
    return connected
        ? "it accepted the connection but does not answer"
        : "the connection is not accepted";
  }

  @Override
  public void close() {
    if (!linked) {
      Sockets.closeQuietly(socket);
    }
  }
}
