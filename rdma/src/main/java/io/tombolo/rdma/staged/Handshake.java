// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * How the two ends of a new connection prove the job token to each other.
 *
 * <pre>
 * dialler  → hello                64 bytes
 * listener → hello, proof    64 + 32 bytes
 * dialler  → proof                32 bytes
 * listener → 'W', for welcome      1 byte
 * </pre>
 *
 * <p>A proof covers both hellos, and so ranks, channel and geometry as well as the nonces. Reads no
 * byte beyond the handshake, allocates nothing that a stranger's bytes could grow, never blocks.
 */
abstract sealed class Handshake permits DiallerHandshake, ListenerHandshake {
  /** The listener's last word: it has taken the dialler in. */
  static final byte WELCOME = 'W';

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final JobToken token;
  private final String fabric;
  private ByteBuffer outgoing = NOTHING;
  private ByteBuffer incoming = NOTHING;
  private Hello peerHello;

  Handshake(String fabric, JobToken token) {
    this.fabric = fabric;
    this.token = token;
  }

  /**
   * Goes on; whether both sides are proved and all is written. Throws if the peer cannot be trusted
   * or is gone.
   */
  final boolean progress(ByteChannel socket) throws IOException {
    while (true) {
      if (outgoing.hasRemaining() && socket.write(outgoing) == 0) {
        return false;
      }
      if (!outgoing.hasRemaining() && isDone()) {
        return true;
      }
      if (incoming.hasRemaining() && !read(socket)) {
        return false;
      }
      if (!outgoing.hasRemaining() && !incoming.hasRemaining()) {
        step(incoming.array());
      }
    }
  }

  /** What the peer said of itself. */
  final Hello peerHello() {
    return peerHello;
  }

  /** The ring both sides can do. */
  abstract SlotGeometry geometry();

  /** Whether both sides may leave what the channel was to go by. */
  abstract boolean isOnTrial();

  /** Whether the last step is done. */
  abstract boolean isDone();

  /** All bytes asked for by {@link #expect} are here, and all given to {@link #say} are gone. */
  abstract void step(byte[] received);

  final void say(byte[]... parts) {
    outgoing = ByteBuffer.wrap(com.google.common.primitives.Bytes.concat(parts));
  }

  final void expect(int bytes) {
    incoming = ByteBuffer.allocate(bytes);
  }

  /** Takes the peer's hello if it is from a build and a rank that we can talk to. */
  final Hello accept(Hello hello, int ownRank) {
    hello.checked(fabric, ownRank);
    peerHello = hello;
    return hello;
  }

  final byte[] proof(String side, byte[] diallerHello, byte[] listenerHello) {
    return token.proof(role(side), diallerHello, listenerHello);
  }

  final void verify(byte[] proof, String side, byte[] diallerHello, byte[] listenerHello) {
    if (!token.accepts(proof, role(side), diallerHello, listenerHello)) {
      throw new MismatchException(
          "the "
              + side
              + " claims to be rank "
              + peerHello.rank()
              + " but does not hold this job's token; give all ranks the same token");
    }
  }

  private String role(String side) {
    return "tombolo " + fabric + " " + side;
  }

  private boolean read(ByteChannel socket) throws IOException {
    if (socket.read(incoming) < 0) {
      throw new EOFException("the other side closed the connection during the handshake");
    }
    return !incoming.hasRemaining();
  }
}
