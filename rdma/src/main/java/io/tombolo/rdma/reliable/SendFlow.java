// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.rdma.Channel;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * The sending half of a channel: messages wait for clear-to-send, are cut into chunks, sent as the
 * congestion window allows, and repeated until acknowledged.
 */
final class SendFlow {
  private final Wire wire;
  private final ProtocolConfig config;
  private final ProtocolParts parts;
  private final Outbox outbox;
  private final GrantInbox grants;
  private final GrantRequest request;
  private final SendWindow window;
  private final LossDetector detector;
  private final CongestionControl congestion;
  private final RetransmissionTimeout timeout = new RetransmissionTimeout();
  private final TailLossProbe probe;
  private final BurstLimit burst = new BurstLimit();
  private final RepeatPermit permit;
  private final PeerQuestion question;
  private final ByteBuffer header = PacketCodec.newBuffer(PacketCodec.DATA_HEADER_BYTES);
  private final SackCodec.Arrivals onArrived = this::onArrived;
  private final LossDetector.Losses onLost = this::onLost;
  private long progressNs;
  private long detectorDeadlineNs = Moment.NEVER;
  private long recoveryEnd = -1;
  private LongConsumer onRecovered = latencyNs -> {};
  private long ackNs;
  private long lossNs;
  private int newlyAcked;
  private byte marks;
  private boolean timedOut;
  private boolean excused;
  private boolean refused;
  private boolean withheld;
  private boolean probeWithheld;

  SendFlow(Wire wire, ProtocolParts parts) {
    this.wire = wire;
    this.config = wire.config;
    this.parts = parts;
    outbox = new Outbox(config, parts);
    grants = new GrantInbox(wire);
    request = new GrantRequest(wire);
    window = parts.sendWindow(config);
    detector = parts.lossDetector(config);
    congestion = parts.congestionControl(config);
    probe = new TailLossProbe(config.maxAckDelayNs());
    permit = parts.repeatPermit(config);
    question = new PeerQuestion(wire);
  }

  /** Gives back memory that only a busy sender needs. */
  void rest() {
    window.rest();
  }

  boolean hasRoom() {
    return !outbox.isFull();
  }

  boolean submit(long tag, LocalMemory memory, long offset, long sizeBytes) {
    if (outbox.isFull()) {
      wire.counters.backPressured++;
      return false;
    }
    outbox.add(tag, memory, offset, sizeBytes);
    return true;
  }

  void onRecovered(LongConsumer listener) {
    onRecovered = listener;
  }

  boolean isIdle() {
    return outbox.isEmpty();
  }

  int complete(Channel.Completions completions) {
    return outbox.complete(completions);
  }

  int windowChunks() {
    return congestion.windowChunks();
  }

  /** The wire no longer reads a chunk of the message called {@code cookie}. */
  void onPosted(long cookie) {
    outbox.at(cookie).openPosts--;
  }

  /**
   * The repeat that goes with {@code immediate}, of {@code sizeBytes}, has not left: the wire had
   * it for too long. Nothing was sent, and no path is to blame; if it was the chunk's latest
   * transmission, the chunk is to be sent again.
   */
  void onTooLate(int immediate, int sizeBytes) {
    wire.counters.repeatsTooLate++;
    wire.counters.chunksSent--;
    wire.counters.payloadBytesSent -= sizeBytes;
    wire.counters.payloadBytesRepeated -= sizeBytes;
    long psn = wire.psns.unwrap(window.oldest(), Immediate.psn(immediate), PsnSpace.IMMEDIATE_BITS);
    if (window.isInFlight(psn)
        && Immediate.attempt(immediate) == Immediate.attemptOf(window.transmissions(psn) - 1)) {
      window.markLost(psn);
      refused = true; // the next round looks at it
    }
  }

  void onGrant(Grant raw, int attempt) {
    grants.onGrant(raw, attempt, window.next());
  }

  void onAck(
      int rawCumulative,
      int rawBase,
      int rawEcho,
      int echoAttempt,
      int echoFlags,
      int ackDelayNs,
      byte marked,
      ByteBuffer packet,
      int words,
      int wordsIndex,
      long nowNs) {
    long oldest = window.oldest();
    long cumulative = wire.psns.unwrap(oldest, rawCumulative, PsnSpace.PACKET_BITS);
    long base = wire.psns.unwrap(oldest, rawBase, PsnSpace.PACKET_BITS);
    long echo = wire.psns.unwrap(oldest, rawEcho, PsnSpace.PACKET_BITS);
    if (cumulative > window.next()) {
      wire.counters.refused++;
      return;
    }
    permit.onAck(cumulative, base, words, nowNs);
    long rttNs = takeEcho(echo, echoAttempt, echoFlags, ackDelayNs, nowNs);
    newlyAcked = 0;
    ackNs = nowNs;
    for (long psn = oldest; psn < cumulative; psn++) {
      onArrived(psn);
    }
    SackCodec.decode(base, words, packet, wordsIndex, onArrived);
    congestion.onArrival(newlyAcked);
    takeMarks(marked);
    if (rttNs >= 0) {
      congestion.onAck(rttNs, window.pausedSinceNs(echo), newlyAcked, nowNs);
    }
    if (newlyAcked > 0) {
      onProgress(nowNs);
      burst.onArrival(window.inFlightChunks(), newlyAcked);
    }
  }

  /** Marks that are new, unless an acknowledgement that was sent sooner comes later. */
  private void takeMarks(byte marked) {
    byte more = (byte) (marked - marks);
    if (more > 0) {
      marks = marked;
      wire.counters.marks += more;
      congestion.onMarks(more);
    }
  }

  /** Learns from what the peer says of its newest arrival; the round-trip time, or −1. */
  private long takeEcho(long psn, int attempt, int flags, int ackDelayNs, long nowNs) {
    if ((flags & PacketCodec.ECHO_FRESH) == 0 || !window.remembers(psn)) {
      return -1;
    }
    boolean duplicate = (flags & PacketCodec.ECHO_DUPLICATE) != 0;
    if (duplicate && window.transmissions(psn) > 1) {
      wire.counters.spuriousResends++;
      detector.onSpuriousResend(wire.rtt, nowNs);
    }
    if (window.transmissions(psn) > Immediate.ATTEMPTS) {
      noteDelivered(psn, attempt);
      return -1;
    }
    if (duplicate || !window.isOpen(psn) || attempt != window.transmissions(psn) - 1) {
      return takeOddEcho(psn, attempt, duplicate, ackDelayNs, nowNs);
    }
    detector.onDelivered(window.transmissionId(psn));
    long rttNs = nowNs - window.sentNs(psn) - ackDelayNs;
    wire.rtt.sample(rttNs, nowNs);
    return rttNs < 0 ? -1 : rttNs;
  }

  /**
   * A chunk sent more often than attempts can be told apart: its echo measures nothing, but the
   * latest transmission that it may mean has arrived, or one so long ago that it makes no odds.
   */
  private void noteDelivered(long psn, int attempt) {
    if (window.isOpen(psn) && attempt == Immediate.attemptOf(window.transmissions(psn) - 1)) {
      detector.onDelivered(window.transmissionId(psn));
    }
  }

  /**
   * A chunk was repeated before the first news of it came. Without these samples a path that is
   * longer than the timeout would repeat every chunk, and so never be measured. The round-trip time
   * of the first transmission, or −1.
   */
  private long takeOddEcho(long psn, int attempt, boolean duplicate, int ackDelayNs, long nowNs) {
    int transmissions = window.transmissions(psn);
    if (transmissions > 1 && attempt == transmissions - 1) {
      wire.rtt.sample(nowNs - window.sentNs(psn) - ackDelayNs, nowNs);
    } else if (transmissions > 1 && attempt == 0 && !duplicate) {
      long rttNs = nowNs - window.firstSentNs(psn) - ackDelayNs;
      wire.rtt.sample(rttNs, nowNs);
      return Math.max(-1, rttNs);
    }
    return -1;
  }

  /**
   * This process has not run for {@code pauseNs}: what it did not hear meanwhile is no sign of
   * loss, and what it heard late no sign of congestion. One pause is excused, until there is
   * progress again: where each round comes late, no timer would ever fire else.
   */
  void onPause(long pauseNs, long nowNs) {
    window.onPause(pauseNs);
    permit.onPause(nowNs - pauseNs);
    if (excused) {
      return;
    }
    excused = true;
    progressNs = Math.max(progressNs, nowNs);
    if (window.inFlightChunks() > 0) {
      probe.arm(nowNs);
    }
  }

  private void onArrived(long psn) {
    if (!window.acknowledge(psn)) {
      return;
    }
    newlyAcked++;
    window.segment(psn).message.unackedChunks--;
    boolean repeated = window.transmissions(psn) > 1;
    if (!repeated || ackNs - window.sentNs(psn) >= wire.rtt.minNs()) {
      detector.onDelivered(window.transmissionId(psn)); // sooner, it was an earlier transmission
    }
    if (repeated) {
      onRecovered.accept(ackNs - window.firstSentNs(psn));
    }
  }

  private void onProgress(long nowNs) {
    progressNs = nowNs;
    excused = false;
    grants.retire(window.oldest());
    if (recoveryEnd >= 0 && window.oldest() >= recoveryEnd) {
      recoveryEnd = -1;
      detector.onRecovered();
    }
    detectLosses(nowNs);
    if (window.inFlightChunks() > 0) {
      probe.arm(nowNs);
    } else {
      probe.disarm();
    }
  }

  private void detectLosses(long nowNs) {
    lossNs = nowNs;
    detectorDeadlineNs = detector.detect(window, wire.rtt, nowNs, onLost);
  }

  private void onLost(long psn, LossDetector.Cause cause) {
    recoveryEnd = window.next();
    congestion.onLoss(window.sentNs(psn), lossNs);
    switch (cause) {
      case TIME -> wire.counters.resentByTime++;
      case COUNT -> wire.counters.resentByCount++;
      case TIMEOUT -> {
        wire.counters.resentByTimeout++;
        timedOut = true;
      }
    }
  }

  /** Does what is due; answers how many chunks went out. */
  int poll(long nowNs) {
    checkProgress(nowNs);
    withheld = false;
    probeWithheld = false;
    if (nowNs >= detectorDeadlineNs) {
      detectLosses(nowNs);
    }
    if (!window.isEmpty() && nowNs >= timeout.deadlineNs()) {
      lossNs = nowNs;
      timeout.expire(window, wire.rtt, progressNs, nowNs, onLost);
      if (window.inFlightChunks() == 0) {
        burst.onTimeout();
      }
    }
    if (nowNs >= probe.deadlineNs(wire.rtt)) {
      sendProbe(nowNs);
    }
    int answered = grants.answer(); // before the data, which would hide the receiver's round trip
    int done = answered + transmit(nowNs) + ask(nowNs) + question(nowNs);
    permit.onLooked(nowNs);
    return done;
  }

  /** Asks what is missing while something may not be repeated. */
  private int question(long nowNs) {
    wire.counters.repeatsWithheld += withheld && !question.isWanted() ? 1 : 0;
    if (!withheld) {
      question.rest();
      return 0;
    }
    question.want();
    return question.poll(nowNs);
  }

  /** Asks for what is lacking; datagrams need no slots, so nobody is short of them. */
  private int ask(long nowNs) {
    boolean lacking =
        config.shape() == ProtocolConfig.Shape.PLACES_REMOTELY
            && outbox.current() != null
            && grants.current() == null;
    if (!lacking) {
      request.rest();
      return 0;
    }
    return request.poll(
        grants.next(), Math.min(outbox.segments(), grants.next() + GrantRequest.MOST), nowNs);
  }

  /** Whether a timeout has fired since the last call: the peer may need asking. */
  boolean takeTimedOut() {
    boolean was = timedOut;
    timedOut = false;
    return was;
  }

  long nextWakeNs() {
    if (refused || grants.isAnswerDue()) {
      return Moment.NOW;
    }
    if (window.isEmpty()) {
      return request.nextWakeNs();
    }
    long probeNs = probeWithheld ? Moment.NEVER : probe.deadlineNs(wire.rtt);
    long timersNs = Math.min(detectorDeadlineNs, probeNs);
    timersNs = Math.min(Math.min(timersNs, timeout.deadlineNs()), request.nextWakeNs());
    timersNs = Math.min(timersNs, question.nextWakeNs());
    return Math.min(timersNs, progressNs + config.giveUpNs());
  }

  private void checkProgress(long nowNs) {
    if (!window.isEmpty() && nowNs - progressNs >= config.giveUpNs()) {
      throw new DeadlineExceededException(
          "rank %s, flow %s: psn %s not acknowledged after %s attempts and %s ms without progress; look for a dead peer, or a path that loses everything, or all long packets (path MTU)%s"
              .formatted(
                  wire.id.peer(),
                  wire.id.flow(),
                  window.oldest(),
                  window.transmissions(window.oldest()),
                  (nowNs - progressNs) / 1_000_000,
                  whyNotRepeated(nowNs)));
    }
  }

  private String whyNotRepeated(long nowNs) {
    if (!withheld || !permit.hasHeardTooLate()) {
      return "";
    }
    return "; nothing was repeated since %s ms, as this process looked for answers less than twice a second"
        .formatted((nowNs - window.sentNs(window.oldest())) / 1_000_000);
  }

  /** Where it may not be sent, the peer is asked, and it stays due until an answer allows it. */
  private void sendProbe(long nowNs) {
    long psn = window.lastInFlight();
    probeWithheld = psn >= 0 && !mayRepeat(psn, nowNs);
    if (probeWithheld) {
      return;
    }
    probe.disarm();
    if (psn >= 0 && resend(psn, nowNs)) {
      wire.counters.resentByProbe++;
    }
  }

  private int transmit(long nowNs) {
    int sent = 0;
    refused = false;
    int most = congestion.windowChunks();
    if (window.isEmpty()) {
      burst.onIdle(most);
    }
    most = Math.min(most, burst.mostChunks());
    while (window.inFlightChunks() < most) {
      long lost = firstToRepeat(nowNs);
      if (!(lost >= 0 ? resend(lost, nowNs) : !withheld && sendNew(nowNs))) {
        break; // nothing new is sent where nobody is known to listen
      }
      sent++;
    }
    burst.onSent();
    congestion.onUse(window.inFlightChunks());
    return sent;
  }

  /** Of the chunks that may be repeated, the one lost longest ago, or −1. */
  private long firstToRepeat(long nowNs) {
    long psn = window.firstLost();
    while (psn >= 0 && !mayRepeat(psn, nowNs)) {
      psn = window.nextLost(psn);
    }
    return psn;
  }

  private boolean mayRepeat(long psn, long nowNs) {
    boolean allowed = permit.allows(psn, window.firstSentNs(psn), nowNs);
    withheld |= !allowed;
    return allowed;
  }

  private boolean resend(long psn, long nowNs) {
    if (!post(window.segment(psn), psn, window.transmissions(psn))) {
      return false;
    }
    window.transmitted(psn, nowNs);
    return true;
  }

  private boolean sendNew(long nowNs) {
    OutgoingSegment segment = segmentToSend();
    if (segment == null) {
      return false;
    }
    if (window.isFull(parts.spanChunks(congestion.windowChunks()))) {
      wire.counters.windowFull++;
      return false;
    }
    if (!post(segment, window.next(), 0)) {
      return false;
    }
    if (window.isEmpty()) {
      progressNs = nowNs;
      excused = false;
    }
    long psn = window.append(segment, nowNs);
    probe.arm(nowNs);
    if (psn + 1 == grants.endPsn(segment)) {
      outbox.advance(segment.grant.sizeBytes);
      grants.advance();
    }
    return true;
  }

  private OutgoingSegment segmentToSend() {
    OutgoingSegment segment = grants.current();
    OutgoingMessage message = outbox.current();
    if (segment == null || message == null) {
      return null;
    }
    if (segment.message == null) {
      grants.attach(message, outbox.currentOffset(), window.next());
    }
    return segment;
  }

  private boolean post(OutgoingSegment segment, long psn, int attempt) {
    OutgoingMessage message = segment.message;
    int sizeBytes = segment.chunkSizeBytes(psn, config.chunkBytes());
    long inSegment = segment.chunkOffset(psn, config.chunkBytes());
    long from = message.offset + segment.grant.messageOffset + inSegment;
    boolean posted =
        config.shape() == ProtocolConfig.Shape.DATAGRAM
            ? wire.sender.sendDatagram(
                PacketCodec.data(header, wire.id, attempt, psn, sizeBytes),
                message.memory,
                from,
                sizeBytes,
                message.index)
            : write(segment, psn, attempt, inSegment, from, sizeBytes);
    refused = !posted;
    if (posted) {
      message.openPosts++;
      wire.counters.chunksSent++;
      wire.counters.payloadBytesSent += sizeBytes;
      wire.counters.payloadBytesRepeated += attempt > 0 ? sizeBytes : 0;
    }
    return posted;
  }

  private boolean write(
      OutgoingSegment segment, long psn, int attempt, long inSegment, long from, int sizeBytes) {
    OutgoingMessage message = segment.message;
    int immediate = Immediate.pack(wire.id.flow(), attempt, psn);
    int key = segment.grant.remoteKey;
    long to = segment.grant.remoteAddress + inSegment;
    return attempt == 0
        ? wire.sender.sendWrite(immediate, key, to, message.memory, from, sizeBytes, message.index)
        : wire.sender.sendAgain(
            immediate,
            key,
            to,
            message.memory,
            from,
            sizeBytes,
            message.index,
            permit.untilNs(psn, window.firstSentNs(psn)));
  }
}
