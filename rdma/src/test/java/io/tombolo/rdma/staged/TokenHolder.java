// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.tcp.TcpMedium;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Somebody who dials a fabric's door as rank 0, holds the job's token, proves it, and is believed.
 * What he says after that is the test's.
 */
public final class TokenHolder implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  private final Fabric victim;
  private final Medium medium;
  private final PeerSocket socket;

  /**
   * Asks {@code victim}, of rank 1, for {@code channelId}.
   *
   * @param listener where the victim's door is
   * @param token the job's
   * @param geometry what he proposes
   */
  public TokenHolder(
      Fabric victim, byte[] listener, JobToken token, long channelId, SlotGeometry geometry) {
    this.victim = victim;
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    medium = TcpMedium.open(HostPinner.none(), loopback);
    socket = medium.dial(listener, Deadline.after(BUDGET));
    drive(this::isConnected, victim);
    byte[] hello = Hello.of(0, 1, channelId, geometry).encode(JobToken.nonce());
    say(hello);
    byte[] answer = hear(Hello.SIZE_BYTES + JobToken.SIZE_BYTES);
    byte[] theirs = Arrays.copyOf(answer, Hello.SIZE_BYTES);
    say(token.proof("tombolo " + victim.name() + " dialler", hello, theirs));
    hear(1); // the welcome
  }

  private boolean isConnected() {
    try {
      return socket.finishConnect();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Says them as far as they are heard: who is shown out says no more. */
  public void say(byte[] words) {
    try {
      ByteBuffer rest = ByteBuffer.wrap(words);
      while (rest.hasRemaining() && socket.write(rest) > 0) {}
    } catch (IOException e) {
      Sockets.closeQuietly(socket); // it was closed at the other end, as it may be at any word
    }
  }

  /** The next so many bytes that the victim says. */
  public byte[] hear(int bytes) {
    ByteBuffer heard = ByteBuffer.allocate(bytes);
    drive(() -> !heard.hasRemaining() || read(heard), victim);
    return heard.array();
  }

  /** Whether that was all. */
  private boolean read(ByteBuffer into) {
    try {
      assertTrue(socket.read(into) >= 0, "the victim hung up on an honest word");
      return !into.hasRemaining();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Drives {@code fabrics} until {@code condition} holds. */
  public static void drive(BooleanSupplier condition, Fabric... fabrics) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      for (Fabric fabric : fabrics) {
        fabric.progress();
      }
      assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
    }
  }

  @Override
  public void close() {
    Sockets.closeQuietly(socket);
    medium.close();
  }
}
