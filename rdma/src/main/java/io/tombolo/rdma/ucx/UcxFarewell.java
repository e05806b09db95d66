// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection, as its socket tells it: a process that dies closes it, one that leaves
 * in order writes the number of slots it has sent before. What is still on its way in UCX then may
 * arrive a little later.
 */
final class UcxFarewell {
  private static final Logger log = LoggerFactory.getLogger(UcxFarewell.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** A look is a system call, and nobody is in a hurry to learn of an end. */
  private static final int ROUNDS_PER_LOOK = 32;

  private final PeerSocket socket;
  private final Ticker ticker;
  private final ByteBuffer count = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private boolean ended;
  private boolean over;
  private int rounds;
  private Deadline grace;

  UcxFarewell(PeerSocket socket, Ticker ticker) {
    this.socket = socket;
    this.ticker = ticker;
  }

  /** Says that {@code slots} have been sent in all. */
  void say(long slots) {
    ByteBuffer said = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try {
      socket.write(said.putLong(slots).flip());
    } catch (IOException e) {
      log.debug("no farewell, the peer is gone too: {}", e.toString());
    }
  }

  /** Closes this end. */
  void hangUp() {
    Sockets.closeQuietly(socket);
  }

  /**
   * Whether the peer is gone, and what it had sent has {@code arrived} or never will.
   *
   * @param failed whether UCX has lost the peer
   */
  boolean isOver(long arrived, boolean failed) {
    if (!ended && (failed || rounds++ % ROUNDS_PER_LOOK == 0)) {
      ended = look();
    }
    if (!ended && !failed) {
      return false;
    }
    if (grace == null) {
      grace = Deadline.after(ticker, GRACE);
    }
    boolean nothingMore = ended && (count.hasRemaining() || arrived >= count.getLong(0));
    over = nothingMore || grace.isExpired();
    return over;
  }

  /** The rest ends with the connection; then the last slots are due, and their time runs. */
  void awaits(WakeUps wakeUps) {
    if (!ended && grace == null) {
      socket.awaits(wakeUps);
    } else if (!over) {
      wakeUps.soon();
    }
  }

  private boolean look() {
    try {
      if (count.hasRemaining()) {
        return socket.read(count) < 0;
      }
      return socket.read(ByteBuffer.allocate(1)) != 0;
    } catch (IOException e) {
      return true; // reset
    }
  }
}
