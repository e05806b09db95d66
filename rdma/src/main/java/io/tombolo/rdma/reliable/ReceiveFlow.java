// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.reliable.ReceiveWindow.Verdict;
import java.util.Optional;

/**
 * The receiving half of a channel: advertises where messages may land, takes each chunk once,
 * acknowledges, and completes messages when their bytes are in place.
 */
final class ReceiveFlow {
  private final Wire wire;
  private final ProtocolConfig config;
  private final SlabPool slab;
  private final Inbox inbox;
  private final GrantOutbox grants;
  private final ReceiveWindow window;
  private final AckScheduler acks;
  private final PendingCopies copies;
  private final SlabShare share = new SlabShare();
  private boolean peerAsks = true;
  private long placeNs = Moment.NEVER;

  ReceiveFlow(Wire wire, ProtocolParts parts, SlabPool slab) {
    this.wire = wire;
    this.config = wire.config;
    this.slab = slab;
    inbox = new Inbox(config);
    grants = parts.grantOutbox(wire);
    window = parts.receiveWindow(config);
    acks = new AckScheduler(config.ackEvery(), config.maxAckDelayNs(), config.firstPsn());
    copies = new PendingCopies(config.windowChunks());
  }

  boolean hasRoom() {
    return !inbox.isFull();
  }

  boolean expect(long tag, LocalMemory memory, long offset, long sizeBytes) {
    if (inbox.isFull()) {
      wire.counters.backPressured++;
      return false;
    }
    inbox.add(tag, memory, offset, sizeBytes);
    return true;
  }

  /** Whether something was promised to the user that has not arrived. */
  boolean isMissingChunks() {
    return inbox.hasUncut() || grants.isMissingChunks();
  }

  /** Copies into the user's memory that have finished. */
  long copiesFinished() {
    return copies.finished();
  }

  /** Copies into the user's memory that have not finished. */
  int copiesPending() {
    return copies.size();
  }

  /** Why it is not known whether some of them have, if it is not. */
  Optional<TomboloException> lostSight() {
    return copies.lostSight();
  }

  int complete(Channel.Completions completions) {
    return inbox.complete(completions);
  }

  /** Payload has come in a packet and lies at {@code payloadAddress} of host memory. */
  void onDatagram(int rawPsn, int attempt, long payloadAddress, int payloadBytes, long nowNs) {
    long psn = wire.psns.unwrap(window.next(), rawPsn, PsnSpace.PACKET_BITS);
    IncomingSegment segment = newArrival(psn, attempt, nowNs);
    if (segment == null) {
      return;
    }
    long inSegment = (psn - segment.grant.firstPsn) * config.chunkBytes();
    if (payloadBytes != Math.min(config.chunkBytes(), segment.grant.sizeBytes - inSegment)
        || copies.isFull()) {
      wire.counters.refused++;
      return;
    }
    wire.counters.payloadBytesReceived += payloadBytes;
    startCopy(segment, inSegment, payloadAddress, payloadBytes);
    accept(segment, psn, attempt, nowNs);
  }

  /** The peer's NIC has written a chunk into a slab and sends this immediate. */
  void onImmediate(int immediate, long nowNs) {
    int raw = Immediate.psn(immediate);
    long psn = wire.psns.unwrap(window.next(), raw, PsnSpace.IMMEDIATE_BITS);
    int attempt = Immediate.attempt(immediate);
    IncomingSegment segment = newArrival(psn, attempt, nowNs);
    if (segment != null) {
      accept(segment, psn, attempt, nowNs);
    }
  }

  /** A write came under a key of the past: the peer does not know that the chunk has arrived. */
  void onFencedWrite() {
    wire.counters.fencedWrites++;
    acks.onAsked();
  }

  void onMark() {
    acks.onMark();
  }

  void onPing() {
    acks.onAsked();
  }

  /** Maybe it was an acknowledgement. */
  void onControlTooLate() {
    acks.onAsked();
  }

  void onGrantAck(int next, long seen, int echoNumber, int echoAttempt, long nowNs) {
    grants.onGrantAck(next, seen, echoNumber, echoAttempt, nowNs);
  }

  /** The peer has messages for clear-to-sends. */
  void onRequest(int needed) {
    if (config.shape() == ProtocolConfig.Shape.DATAGRAM) {
      wire.counters.refused++;
      return;
    }
    grants.onRequest(needed);
  }

  /** The peer is of a build that never asks: its first slot counts as asked for. */
  void onPeerThatNeverAsks() {
    peerAsks = false;
  }

  private boolean isAsked() {
    return grants.isAsked() || (!peerAsks && share.held == 0);
  }

  /** The segment a new chunk belongs to; null if it is nothing new or nothing of ours. */
  private IncomingSegment newArrival(long psn, int attempt, long nowNs) {
    Verdict verdict = window.classify(psn);
    if (verdict == Verdict.DUPLICATE) {
      wire.counters.duplicates++;
      acks.onArrival(psn, attempt, true, true, nowNs);
      return null;
    }
    IncomingSegment segment = verdict == Verdict.NEW ? grants.find(psn) : null;
    if (segment == null) {
      wire.counters.refused++;
    }
    return segment;
  }

  private void accept(IncomingSegment segment, long psn, int attempt, long nowNs) {
    boolean last =
        segment.grant.isLastOfMessage() && psn + 1 == segment.grant.firstPsn + segment.chunks;
    boolean outOfOrder = psn != window.end();
    window.accept(psn);
    acks.onArrival(psn, attempt, false, last || outOfOrder, nowNs);
    segment.answered = true;
    if (--segment.missingChunks == 0) {
      if (config.shape() == ProtocolConfig.Shape.PLACES_REMOTELY) {
        startCopy(segment, 0, slab.hostAddress(segment.slot), segment.grant.sizeBytes);
        wire.counters.payloadBytesReceived += segment.grant.sizeBytes;
      }
      finishIfDone(segment);
    }
  }

  private void startCopy(IncomingSegment segment, long inSegment, long from, long sizeBytes) {
    if (sizeBytes == 0) {
      return;
    }
    LocalMemory memory = segment.message.memory;
    long ticket = memory.copyIn(segment.memoryOffset(inSegment), from, sizeBytes);
    wire.counters.bytesCopied += sizeBytes;
    if (ticket != LocalMemory.DONE) {
      segment.openCopies++;
      copies.add(memory, ticket, segment);
    }
  }

  private void finishIfDone(IncomingSegment segment) {
    if (segment.missingChunks > 0 || segment.openCopies > 0) {
      return;
    }
    segment.finished = true;
    segment.message.openChunks -= segment.chunks;
    if (config.shape() == ProtocolConfig.Shape.PLACES_REMOTELY) {
      giveBack(segment.slot);
      segment.slot = SlabPool.NONE;
    }
    grants.retire();
  }

  private void giveBack(int slot) {
    slab.release(share, slot);
  }

  /** Nothing more is taken: the slots of what has not arrived go back. */
  void giveUp() {
    grants.giveUp(this::giveBack);
    if (slab != null) {
      slab.forget(share);
    }
  }

  /** Does what is due; answers how many things that were. */
  int poll(long nowNs) {
    int settled = settle();
    if (lostSight().isPresent()) {
      throw lostSight().get();
    }
    return settled + advertise(nowNs) + grants.repeat(nowNs) + acknowledge(nowNs);
  }

  /** Notes the copies that have finished. */
  int settle() {
    int done = 0;
    for (IncomingSegment s = copies.takeDone(); s != null; s = copies.takeDone()) {
      s.openCopies--;
      finishIfDone(s);
      done++;
    }
    return done;
  }

  private int advertise(long nowNs) {
    int given = 0;
    placeNs = Moment.NEVER;
    while (inbox.hasUncut() && !grants.isFull() && findPlace(grants.blank(), nowNs)) {
      inbox.cut(grants.blank());
      grants.give(nowNs);
      given++;
    }
    return given;
  }

  /** Finds a place for {@code segment}, or looks again later, or when the peer asks. */
  private boolean findPlace(IncomingSegment segment, long nowNs) {
    if (config.shape() == ProtocolConfig.Shape.DATAGRAM) {
      return true;
    }
    int slot = slab.acquire(share, isAsked(), nowNs);
    if (slot == SlabPool.NONE) {
      boolean soon = isAsked() || slab.givesUnasked(share);
      placeNs = soon ? nowNs + config.minRtoNs() : Moment.NEVER;
      return false;
    }
    segment.slot = slot;
    segment.grant.generation = slab.generation(slot);
    segment.grant.remoteKey = slab.remoteKey(slot);
    segment.grant.remoteAddress = slab.remoteAddress(slot);
    return true;
  }

  private int acknowledge(long nowNs) {
    if (!acks.isDue(nowNs)
        || !wire.sender.sendControl(PacketCodec.ack(wire.buffer(), wire.id, window, acks, nowNs))) {
      return 0;
    }
    acks.onSent();
    return 1;
  }

  long nextWakeNs() {
    return Math.min(placeNs, Math.min(acks.deadlineNs(), grants.nextWakeNs()));
  }
}
