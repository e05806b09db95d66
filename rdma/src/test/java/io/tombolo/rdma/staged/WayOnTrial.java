// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.FabricTraits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A medium with one channel at most: its ends show each other a card of one byte; it opens, fails
 * and lets go when a test says so.
 */
final class WayOnTrial implements Medium {
  /** Whether the channel is open. */
  boolean opens;

  /** Whether it lets go of memory. */
  boolean isQuiet = true;

  /** What it fails with from now on, if it does. */
  Optional<TomboloException> failure = Optional.empty();

  /** The other end's, if that is to be told at once when this end lets go. */
  Optional<WayOnTrial> told = Optional.empty();

  /** Whether the other end has told this one that it let go. */
  private boolean isEnded;

  /** How many channels were made. */
  int made;

  /** How many messages were taken to be sent. */
  int taken;

  boolean hungUp;
  boolean closed;

  @Override
  public String name() {
    return "way";
  }

  @Override
  public FabricTraits traits() {
    return new FabricTraits(true, true, false, FabricTraits.Path.STAGED);
  }

  @Override
  public byte[] address() {
    return new byte[0];
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return true;
  }

  @Override
  public String reach() {
    return "as a test says";
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return Optional.empty();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    throw new IllegalStateException("nobody dials");
  }

  @Override
  public SlotLink link(Joined joined) {
    throw new IllegalStateException("it has no slots");
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    made++;
    isEnded = false;
    failure.ifPresent(
        why -> {
          throw why;
        });
    return new Link(joined, sends);
  }

  @Override
  public void close() {}

  private final class Link implements MessageLink {
    private final Joined joined;
    private final TransferQueue sends;
    private final ByteBuffer card = ByteBuffer.allocate(1);
    private final ByteBuffer peersCard = ByteBuffer.allocate(1);

    Link(Joined joined, TransferQueue sends) {
      this.joined = joined;
      this.sends = sends;
    }

    @Override
    public boolean isReady() {
      return opens;
    }

    @Override
    public String doing() {
      return "it waits for the test";
    }

    @Override
    public int progress() throws IOException {
      failure.ifPresent(
          why -> {
            throw why;
          });
      if (isEnded) {
        throw new PeerFailedException("the peer closed its end");
      }
      int moved = joined.socket().write(card);
      boolean looks = !opens || peersCard.hasRemaining(); // an open one leaves that to others
      int heard = looks ? joined.socket().read(peersCard) : 0;
      if (heard < 0 && !opens) {
        throw new IOException("the peer has gone");
      }
      if (opens && sends.hasCurrent()) {
        sends.finishCurrent();
        taken++;
        moved++;
      }
      return moved + Math.max(0, heard);
    }

    @Override
    public boolean isPeerGone() {
      return false;
    }

    @Override
    public boolean isEndedByPeer() {
      return isEnded && failure.isEmpty();
    }

    @Override
    public String howPeerWent() {
      return "it went";
    }

    @Override
    public boolean isDrained() {
      return true;
    }

    @Override
    public boolean isQuiet() {
      return isQuiet;
    }

    @Override
    public long sentBytes() {
      return 0;
    }

    @Override
    public long receivedBytes() {
      return 0;
    }

    @Override
    public long copiedBytes() {
      return 0;
    }

    @Override
    public void hangUp() {
      hungUp = true;
      told.ifPresent(other -> other.isEnded = true);
      Sockets.closeQuietly(joined.socket());
    }

    @Override
    public void close() {
      hangUp();
      closed = true;
    }
  }
}
