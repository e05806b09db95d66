// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.staged.PeerSocket;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The words before two queue pairs are connected: each side sends its card, connects when it has
 * the other's, and then says so with one byte; nothing is sent through the pair before both have.
 * Afterwards its end is the end of the peer, and there may be a word of one byte now and then.
 */
final class PairExchange {
  private static final byte READY = 'R';

  private final PeerSocket socket;
  private final ByteBuffer outgoing = ByteBuffer.allocate(PairCard.SIZE_BYTES + 1);
  private final ByteBuffer incoming = ByteBuffer.allocate(PairCard.SIZE_BYTES);
  private final ByteBuffer end = ByteBuffer.allocate(1);
  private Optional<PairCard> peer = Optional.empty();
  private boolean weAreReady;
  private boolean peerIsReady;
  private OptionalInt word = OptionalInt.empty();

  PairExchange(PeerSocket socket, PairCard ours) {
    this.socket = socket;
    outgoing.put(ours.encode()).flip();
  }

  /**
   * Goes on; how many bytes were moved. Who has heard that both are connected may send, and leave:
   * its end is not looked at here any more.
   */
  int progress() throws IOException {
    int moved = outgoing.hasRemaining() ? socket.write(outgoing) : 0;
    if (peer.isEmpty()) {
      moved += read(incoming);
      if (!incoming.hasRemaining()) {
        peer = Optional.of(PairCard.decode(incoming.array()));
      }
    } else if (!peerIsReady) {
      moved += read(end);
      peerIsReady = !end.hasRemaining();
    } else if (!isDone() && word.isEmpty()) { // none is due before, but the peer may leave
      moved += there(hear());
    }
    return moved;
  }

  private int read(ByteBuffer into) throws IOException {
    return there(socket.read(into));
  }

  /** What was {@code got} of a peer that is still there. */
  private static int there(int got) throws EOFException {
    if (got < 0) {
      throw new EOFException(
          "the other side closed the connection before it was ready; look at its output");
    }
    return got;
  }

  /** Takes one word, if there is one; how many bytes, or -1 at the peer's end. */
  private int hear() throws IOException {
    int got = socket.read(end.clear());
    if (got > 0) {
      word = OptionalInt.of(end.get(0));
    }
    return got;
  }

  /** The peer's card, once it is here. */
  Optional<PairCard> peer() {
    return peer;
  }

  /** Our end is connected. */
  void ready() {
    weAreReady = true;
    outgoing.compact().put(READY).flip();
  }

  /** Whether something is to be said yet that the socket has not taken. */
  boolean hasUnsaid() {
    return outgoing.hasRemaining();
  }

  /** Whether both ends are connected, and each knows it of the other. */
  boolean isDone() {
    return weAreReady && peerIsReady && !outgoing.hasRemaining();
  }

  /** The last word that {@link #isPeerGone} has come upon, once. */
  OptionalInt takeWord() {
    OptionalInt taken = word;
    word = OptionalInt.empty();
    return taken;
  }

  /** Whether the peer has closed its end, or its process has ended. A system call. */
  boolean isPeerGone() {
    if (word.isPresent()) {
      return false; // one at a time
    }
    try {
      return hear() < 0;
    } catch (IOException e) {
      return true; // a reset ends it as well
    }
  }
}
