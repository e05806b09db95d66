// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.ProtocolCounters;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel over a {@link MessageLink}: opening, then open, then failed or closed. Messages may be
 * posted while it opens.
 */
final class StagedChannel implements Channel {
  private static final Logger log = LoggerFactory.getLogger(StagedChannel.class);

  private final StagedFabric fabric;
  private final int peer;
  private final long channelId;
  private final Opening opening;
  private final Deadline deadline;
  private final Postings postings = new Postings();
  private final TransferQueue sends = postings.sends();
  private final TransferQueue receives = postings.receives();
  private final RetryPause pause;

  private MessageLink link;
  private boolean closed;

  /** Whether the link has hung up, after the channel has failed. */
  private boolean hungUp;

  /** Whether a device has refused that, and is to be asked again. */
  private boolean refused;

  StagedChannel(
      StagedFabric fabric,
      int peer,
      long channelId,
      Opening opening,
      Deadline deadline,
      Ticker ticker) {
    this.fabric = fabric;
    this.peer = peer;
    this.channelId = channelId;
    this.opening = opening;
    this.deadline = deadline;
    this.pause = new RetryPause(ticker);
  }

  @Override
  public int peer() {
    return peer;
  }

  boolean leadsTo(int rank, long id) {
    return peer == rank && channelId == id;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public String carrier() {
    return link == null ? fabric.name() : link.carrier().orElseGet(fabric::name);
  }

  @Override
  public boolean isOpen() {
    postings.throwIfFailed();
    return isReady();
  }

  private boolean isReady() {
    return link != null && link.isReady();
  }

  @Override
  public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    return postings.send(tag, memory, offset, sizeBytes);
  }

  @Override
  public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    return postings.receive(tag, memory, offset, sizeBytes);
  }

  @Override
  public int poll(Completions completions) {
    return postings.poll(completions);
  }

  @Override
  public long sentBytes() {
    return link == null ? 0 : link.sentBytes();
  }

  @Override
  public long receivedBytes() {
    return link == null ? 0 : link.receivedBytes();
  }

  @Override
  public Optional<ProtocolCounters> protocolCounters() {
    return link == null ? Optional.empty() : link.protocolCounters();
  }

  @Override
  public long copiedBytes() {
    return link == null ? 0 : link.copiedBytes();
  }

  @Override
  public long engineBytes() {
    return link == null ? 0 : link.engineBytes();
  }

  @Override
  public long directBytes() {
    return link == null ? 0 : link.directBytes();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      end(new AbortedException(name() + ": the channel is closed on this side"));
      hangUp();
    } finally { // also if a device refuses to end it: that is tried again until it does
      fabric.forget(this);
    }
  }

  @Override
  public boolean isQuiet() {
    return postings.hasFailed() && link == null;
  }

  @Override
  public boolean isDrained() {
    return !isReady() || link.isDrained();
  }

  /** Whether it waits for its peer to come. */
  boolean isOpening() {
    return !isReady() && !postings.hasFailed();
  }

  /** As {@link Fabric#awaits}; of a channel that has failed, at most that a device lets go. */
  void awaits(WakeUps wakeUps) {
    if (postings.hasFailed()) {
      if (refused) {
        pause.awaits(wakeUps);
      }
      return;
    }
    if (isReady() && sends.outstanding() + receives.outstanding() == 0) {
      link.awaits(wakeUps);
    } else {
      wakeUps.soon();
    }
  }

  /** Moves what can be moved; an error becomes the channel's, and concerns no other channel. */
  int progress() {
    if (postings.hasFailed()) {
      if (refused && pause.isOver()) {
        tryToHangUp();
      }
      return 0;
    }
    try {
      return isReady() ? move() : open();
    } catch (IOException e) {
      fail(failure(e));
    } catch (PeerFailedException e) {
      fail(new PeerFailedException(name() + ": " + e.getMessage() + outstanding(), peer, e));
    } catch (FabricException e) {
      fail(FabricException.of(name() + ": " + e.getMessage() + outstanding(), e));
    } catch (CorruptException e) {
      fail(new CorruptException(name() + ": " + e.getMessage(), e));
    } catch (MismatchException e) {
      fail(new MismatchException(name() + ": " + e.getMessage(), e));
    } catch (DeadlineExceededException e) {
      fail(e); // names the channel itself
    } catch (TomboloException e) {
      fail(e.during(name().toString()));
    }
    return 1;
  }

  /**
   * Frees the slots unless a copy may still touch them; whether they are free. If that fails, the
   * next try goes on with what is left.
   */
  boolean tryFree() {
    if (link != null) {
      if (!link.isQuiet()) {
        return false;
      }
      link.close();
      link = null;
    }
    return true;
  }

  /**
   * Lets the NIC go, and leaves slots behind that a copy may touch for good. The channel is never
   * quiet: the copy may touch its messages, too.
   */
  void abandon() {
    if (link != null) {
      link.abandon();
    }
  }

  private int open() throws IOException {
    if (deadline.isExpired()) {
      throw name().late(deadline, link == null ? opening.doing() : link.doing());
    }
    if (link == null) {
      Optional<MessageLink> made = opening.progress(sends, receives);
      if (made.isEmpty()) {
        return 0;
      }
      link = made.get();
    }
    return link.progress();
  }

  private int move() throws IOException {
    int steps = link.progress();
    if (steps == 0 && link.isPeerGone()) {
      steps = link.progress(); // it may have read the last messages just before it went
      if (steps == 0) {
        peerGone();
      }
    }
    return steps;
  }

  /**
   * What the peer sent before it went is still delivered; what is to be sent to it never will be.
   */
  private void peerGone() {
    if (link.isDrained() || sends.outstanding() > 0) {
      throw new PeerFailedException(link.howPeerWent());
    }
  }

  private void fail(TomboloException error) {
    end(error);
    tryToHangUp();
  }

  private void end(TomboloException error) {
    if (postings.fail(error)) {
      opening.close();
    }
  }

  /**
   * As {@link #hangUp}. What a device refuses concerns no other channel, and is tried again: at the
   * latest {@link #close} tells of it, whose caller is about to use the messages' memory.
   */
  private void tryToHangUp() {
    try {
      hangUp();
    } catch (TomboloException e) {
      if (!refused) {
        log.warn("{} has failed, and cannot be ended yet: {}", name(), e.getMessage());
      }
      refused = true;
      pause.onRefusal();
    }
  }

  /** If a device refuses that, the NIC may still touch the messages' memory. */
  private void hangUp() {
    if (link != null && !hungUp) {
      link.hangUp();
      hungUp = true;
      refused = false;
    }
  }

  /** Who has no more descriptors must not blame the peer. */
  private TomboloException failure(IOException e) {
    return OpenFiles.ranOut(e)
        ? OpenFiles.noneLeft(name() + " cannot be opened", e)
        : new PeerFailedException(name() + " failed: " + e.getMessage() + outstanding(), peer, e);
  }

  private ChannelName name() {
    return new ChannelName(fabric.rank(), peer, carrier(), channelId);
  }

  private String outstanding() {
    return ChannelName.outstanding(sends, receives, sentBytes(), receivedBytes());
  }
}
