// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.engine.ChannelEngine;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.run.StepScheduler;
import io.tombolo.runtime.plan.Resource;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The messages of one tag. They have channels of their own, so that they match among themselves in
 * the order of the calls, and wait for no message of another tag. Used by the agent's thread only.
 *
 * <p>A receive that any rank may serve holds back the later receives of its tag until it has met a
 * message: which one is theirs is not known before.
 */
final class TagLane {
  private final Opener opener;
  private final Duration timeout;
  private final CopyEngine copies;
  private final Map<Integer, Peer> peers = new HashMap<>();
  private final Map<Resource, Deque<PendingMessage>> queues = new HashMap<>();
  private final Queue<PendingMessage> fromAny = new ArrayDeque<>();
  private final Deque<StepScheduler> schedulers = new ArrayDeque<>();
  private final Consumer<TomboloException> onPeerGone;

  /** Ranks that have gone, as receives from any have found. */
  private final BitSet gone = new BitSet();

  private PeerFailedException lastGone;
  private int firstAsked;

  /** Opens the channel to a rank, whose end must be there by the deadline. */
  @FunctionalInterface
  interface Opener {
    Channel open(int peer, Deadline deadline);
  }

  /** The channel to one rank. */
  private record Peer(ChannelEngine engine, Announcements words) {}

  /**
   * A lane without messages.
   *
   * @param opener opens the channel to a rank, at the first message to or from it
   * @param timeout how long the peer of a message may take to open its end
   * @param onPeerGone is told of a peer that has gone, while others may send what is waited for
   */
  TagLane(
      Opener opener, Duration timeout, CopyEngine copies, Consumer<TomboloException> onPeerGone) {
    this.opener = opener;
    this.timeout = timeout;
    this.copies = copies;
    this.onPeerGone = onPeerGone;
  }

  /** {@code message} is behind all that came before it the same way. */
  void join(PendingMessage message) {
    if (!message.hasMet()) {
      fromAny.add(message);
    } else if (message.channel().isPresent()) {
      queueOf(message.channel().get()).addLast(message);
    }
  }

  private Deque<PendingMessage> queueOf(Resource way) {
    return queues.computeIfAbsent(way, each -> new ArrayDeque<>());
  }

  /**
   * Whether it is known what {@code message} meets: where that is any rank's, it is when one's has
   * come that no earlier receive takes.
   */
  boolean meets(PendingMessage message) {
    if (message.hasMet()) {
      return true;
    }
    if (!message.equals(fromAny.peek())) {
      return false;
    }
    int sources = message.sources().size();
    if (gone.cardinality() == sources) {
      throw lastGone; // and nobody is left who could send such a message
    }
    for (int i = 0; i < sources; i++) {
      int index = (firstAsked + i) % sources; // in turns: nobody who sends much keeps others out
      Resource source = message.sources().get(index);
      if (hasArrived(source, message)) {
        firstAsked = index + 1;
        fromAny.remove();
        message.meet(source);
        queueOf(source).addFirst(message);
        return true;
      }
    }
    return false;
  }

  /** A peer that never sends need not open its end, so there is no limit for that. */
  private boolean hasArrived(Resource source, PendingMessage message) {
    Queue<PendingMessage> receives = queueOf(source);
    return (receives.isEmpty() || receives.peek().isAfter(message))
        && !gone.get(source.peer())
        && hasWord(source.peer());
  }

  /** One that may send has gone: others may still, and who has left in order needs not. */
  private boolean hasWord(int rank) {
    try {
      return peer(rank, ChronoUnit.FOREVER.getDuration()).words().hasArrived();
    } catch (PeerFailedException e) {
      gone.set(rank);
      lastGone = e;
      onPeerGone.accept(e);
      return false;
    }
  }

  /** Whether all earlier messages the same way have been handed to the channel in full. */
  boolean isTurnOf(PendingMessage message) {
    if (message.channel().isEmpty()) {
      return true;
    }
    Resource way = message.channel().get();
    boolean isHeldBack =
        way.kind() == Resource.Kind.RECEIVE
            && !fromAny.isEmpty()
            && message.isAfter(fromAny.peek());
    return !isHeldBack && message.equals(queueOf(way).peek());
  }

  /** Sends the word that goes before {@code message}, or takes it; false if there is no room. */
  boolean passesWord(PendingMessage message) {
    if (message.channel().isEmpty()) {
      return true;
    }
    Resource way = message.channel().get();
    Announcements words = peer(way.peer(), timeout).words();
    return way.kind() == Resource.Kind.SEND ? words.announce() : words.take();
  }

  /** {@code message} has been handed to its channel in full: the next may begin. */
  void leave(PendingMessage message) {
    if (message.channel().isPresent() && message.equals(queueOf(message.channel().get()).peek())) {
      queueOf(message.channel().get()).remove();
    }
  }

  /** What one message's steps run in. */
  StepScheduler scheduler() {
    return schedulers.isEmpty() ? new StepScheduler(this::engine) : schedulers.pop();
  }

  /** {@code scheduler} is free for the next message. */
  void giveBack(StepScheduler scheduler) {
    schedulers.push(scheduler);
  }

  private Engine engine(Resource resource) {
    return switch (resource.kind()) {
      case COPY -> copies;
      case SEND, RECEIVE -> peer(resource.peer(), timeout).engine();
      case HOST, VENDOR, FLAT ->
          throw new IllegalArgumentException("messages combine nothing and go through no library");
    };
  }

  private Peer peer(int rank, Duration limit) {
    Peer known = peers.get(rank);
    if (known == null) {
      ChannelEngine engine = new ChannelEngine(opener.open(rank, Deadline.after(limit)));
      known = new Peer(engine, new Announcements(engine));
      peers.put(rank, known);
    }
    return known;
  }

  void close() {
    DoAll.each(peers.values(), peer -> peer.engine().channel().close());
  }
}
