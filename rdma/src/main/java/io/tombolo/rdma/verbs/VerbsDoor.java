// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/**
 * Where peers on the same RDMA fabric knock: a listener beside the fabric, and the card of our
 * port. An address is a {@link PortCard}, then the listener's own address.
 */
final class VerbsDoor implements AutoCloseable {
  private final PortCard card;
  private final Medium sockets;

  /** A door that opens to {@code sockets}, which it takes. */
  VerbsDoor(PortCard card, Medium sockets) {
    this.card = card;
    this.sockets = sockets;
  }

  /** What peers knock at, this door's. */
  Medium sockets() {
    return sockets;
  }

  byte[] address() {
    byte[] listener = sockets.address();
    return ByteBuffer.allocate(PortCard.SIZE_BYTES + listener.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(card.encode())
        .put(listener)
        .array();
  }

  boolean reaches(byte[] peerAddress) {
    ByteBuffer bytes = ByteBuffer.wrap(peerAddress).order(ByteOrder.LITTLE_ENDIAN);
    return PortCard.read(bytes).filter(card::mayReach).isPresent()
        && sockets.reaches(listenerOf(peerAddress));
  }

  Optional<PeerSocket> accept() throws IOException {
    return sockets.accept();
  }

  PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return sockets.dial(listenerOf(peerAddress), deadline);
  }

  void awaits(WakeUps wakeUps) {
    sockets.awaits(wakeUps);
  }

  private static byte[] listenerOf(byte[] address) {
    return Arrays.copyOfRange(address, PortCard.SIZE_BYTES, address.length);
  }

  @Override
  public void close() {
    sockets.close();
  }
}
