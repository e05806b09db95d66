// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.faulty.FaultCounters;
import io.tombolo.rdma.faulty.FaultyWire;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.staged.ChannelName;
import io.tombolo.rdma.staged.PostedMessage;
import io.tombolo.rdma.staged.Postings;
import io.tombolo.rdma.staged.TransferQueue;
import java.util.Optional;

/**
 * A channel over one connection: opening, then open, then failed or closed. Messages may be posted
 * while it opens.
 */
public final class UdpChannel implements Channel {
  /** How long a peer that has closed its end may still acknowledge what it had received. */
  private static final long LAST_WORDS_NS = 100_000_000;

  private final UdpFabric fabric;
  private final ChannelName name;
  private final UdpOpening opening;
  private final Deadline deadline;
  private final Postings postings = new Postings();
  private final TransferQueue sends = postings.sends();
  private final TransferQueue receives = postings.receives();
  private final Completed completed = new Completed();
  private UdpConnection connection;
  private boolean peerClosed;
  private long peerClosedNs;

  UdpChannel(UdpFabric fabric, ChannelName name, UdpOpening opening, Deadline deadline) {
    this.fabric = fabric;
    this.name = name;
    this.opening = opening;
    this.deadline = deadline;
  }

  @Override
  public int peer() {
    return name.peer();
  }

  boolean leadsTo(int rank, long id) {
    return name.peer() == rank && name.channelId() == id;
  }

  /** Whether words of a handshake were for this channel. */
  boolean onGreeting(Greeting heard, UdpPath source, long nowNs) {
    if (postings.hasFailed() || connection != null) {
      return false;
    }
    try {
      return opening.onGreeting(heard, source, nowNs);
    } catch (MismatchException e) {
      postings.fail(new MismatchException(name + ": " + e.getMessage(), e));
      return true;
    } catch (CorruptException e) { // no build of ours says that: forged, so the true words may come
      fabric.counters().refused++;
      return true;
    }
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public boolean isOpen() {
    postings.throwIfFailed();
    return connection != null;
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
    return connection == null ? 0 : counters().payloadBytesSent - counters().payloadBytesRepeated;
  }

  @Override
  public long receivedBytes() {
    return connection == null ? 0 : counters().payloadBytesReceived;
  }

  /** Includes the copies of chunks that were sent again. */
  @Override
  public long copiedBytes() {
    return connection == null ? 0 : counters().payloadBytesSent + counters().bytesCopied;
  }

  @Override
  public Optional<ProtocolCounters> protocolCounters() {
    return Optional.ofNullable(counters());
  }

  /** What the protocol of this channel has done so far; null while it opens. */
  public ProtocolCounters counters() {
    return connection == null ? null : connection.reliable().counters();
  }

  /** The protocol itself, for tools that watch it; null while the channel opens. */
  public ReliableChannel protocol() {
    return connection == null ? null : connection.reliable();
  }

  /** What went wrong on purpose with what this side sent, if anything was to. */
  public Optional<FaultCounters> faults() {
    return connection().flatMap(UdpConnection::faulty).map(FaultyWire::counters);
  }

  @Override
  public void close() {
    postings.fail(new AbortedException(name + ": the channel is closed on this side"));
    fabric.forget(this);
  }

  /** The connection to say goodbye over, if there is one. */
  Optional<UdpConnection> connection() {
    return Optional.ofNullable(connection);
  }

  /** This process has not run for a while. */
  void onPause(long pauseNs, long nowNs) {
    if (connection != null) {
      connection.reliable().onPause(pauseNs, nowNs);
    }
  }

  /** Moves what can be moved; an error becomes the channel's, and concerns no other channel. */
  int progress(long nowNs) {
    if (postings.hasFailed()) {
      return connection == null ? 0 : connection.settle();
    }
    try {
      return connection == null ? open(nowNs) : move(nowNs);
    } catch (PeerFailedException e) {
      postings.fail(
          new PeerFailedException(name + ": " + e.getMessage() + outstanding(), name.peer(), e));
    } catch (CorruptException e) {
      postings.fail(new CorruptException(name + ": " + e.getMessage(), e));
    } catch (DeadlineExceededException e) {
      postings.fail(e);
    } catch (MismatchException e) {
      postings.fail(new MismatchException(name + ": " + e.getMessage(), e));
    } catch (TomboloException e) {
      postings.fail(e.during(name.toString()));
    }
    return 1;
  }

  /** As {@link Fabric#awaits}; of a channel that has failed, only copies that are under way. */
  void awaits(WakeUps wakeUps, long nowNs) {
    if (postings.hasFailed()) {
      if (connection != null && connection.copiesPending() > 0 && !connection.hasLostSight()) {
        wakeUps.soon();
      }
    } else if (connection == null || sends.outstanding() + receives.outstanding() > 0) {
      wakeUps.soon();
    } else {
      connection.awaits(wakeUps, nowNs);
    }
  }

  private int open(long nowNs) {
    if (deadline.isExpired()) {
      throw name.late(deadline, opening.doing());
    }
    int steps = opening.progress(nowNs);
    connection = opening.take(nowNs).orElse(null);
    return connection == null ? steps : steps + 1;
  }

  private int move(long nowNs) {
    int steps = feed() + connection.progress(completed, nowNs);
    if (connection.reliable().isPeerClosed()) {
      onPeerClosed(nowNs);
    }
    return steps;
  }

  /** Hands over what the protocol has room for. */
  private int feed() {
    int fed = 0;
    while (sends.hasCurrent() && connection.reliable().hasRoomToSend() && sendNext()) {
      fed++;
    }
    while (receives.hasCurrent() && connection.reliable().hasRoomToReceive() && receiveNext()) {
      fed++;
    }
    return fed;
  }

  private boolean sendNext() {
    PostedMessage t = sends.current();
    boolean taken = connection.send(t.tag(), t.memory(), t.position(), t.sizeBytes());
    if (taken) {
      sends.finishCurrent();
    }
    return taken;
  }

  private boolean receiveNext() {
    PostedMessage t = receives.current();
    boolean taken = connection.receive(t.tag(), t.memory(), t.position(), t.sizeBytes());
    if (taken) {
      receives.finishCurrent();
    }
    return taken;
  }

  /** What the peer sent before it went is here; what it received of ours it may still say. */
  private void onPeerClosed(long nowNs) {
    if (!peerClosed) {
      peerClosed = true;
      peerClosedNs = nowNs;
    }
    boolean unreported = sends.hasUnreported() || receives.hasUnreported();
    boolean hopeful = sends.outstanding() > 0 && nowNs - peerClosedNs < LAST_WORDS_NS;
    if (!unreported && !hopeful) {
      throw new PeerFailedException("the peer closed its end, or its process ended");
    }
  }

  private String outstanding() {
    return ChannelName.outstanding(sends, receives, sentBytes(), receivedBytes());
  }

  /** What the protocol completes waits for the user's poll. */
  private final class Completed implements Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {
      sends.complete();
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      receives.complete();
    }
  }
}
