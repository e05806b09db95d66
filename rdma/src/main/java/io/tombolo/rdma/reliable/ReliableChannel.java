// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ProtocolCounters;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Reliable messages both ways over a wire that loses, reorders, repeats and delays.
 *
 * <p>Used by one thread, which feeds it everything the wire brings and calls {@link #poll} by
 * {@link #nextWakeNs} at the latest; nothing blocks, and in steady state nothing is allocated.
 * Times are nanoseconds of any one monotonic clock of this process. Once failed, {@link #poll}
 * throws the same error again.
 */
public final class ReliableChannel {
  /** Bytes of a datagram besides its payload. */
  public static final int DATAGRAM_HEADER_BYTES = PacketCodec.DATA_HEADER_BYTES;

  private final Wire wire;
  private final ProtocolParts parts;
  private final SendFlow sending;
  private final ReceiveFlow receiving;
  private final PeerWatch peer;
  private final CloseHandshake closing;
  private final PeerQuestion greeting;
  private final Grant scratch = new Grant();
  private final Dispatcher dispatcher = new Dispatcher();
  private TomboloException failure;
  private boolean answered;

  /** What a failed end tells its peer; null if the peer said so first. */
  private ResetReason resetReason;

  private boolean endedByPeer;

  /**
   * A channel that is open at once.
   *
   * @param slab where remote writes may land; null for {@link ProtocolConfig.Shape#DATAGRAM}
   */
  public ReliableChannel(
      ChannelId id, ProtocolConfig config, PacketSender sender, SlabPool slab, long nowNs) {
    this(id, config, sender, slab, new ProtocolParts(), nowNs);
  }

  ReliableChannel(
      ChannelId id,
      ProtocolConfig config,
      PacketSender sender,
      SlabPool slab,
      ProtocolParts parts,
      long nowNs) {
    if (config.shape() == ProtocolConfig.Shape.PLACES_REMOTELY
        && (slab == null || slab.slotBytes() < config.segmentBytes())) {
      throw new IllegalArgumentException(
          "remote placement needs slab slots of " + config.segmentBytes() + " bytes");
    }
    this.parts = parts;
    wire = new Wire(id, config, sender, parts);
    sending = new SendFlow(wire, parts);
    receiving = new ReceiveFlow(wire, parts, slab);
    peer = new PeerWatch(config, nowNs);
    closing = new CloseHandshake(wire);
    greeting = new PeerQuestion(wire);
  }

  /** Whether {@code packet} is one of ours as far as its first bytes tell. */
  public static boolean isAddressed(ByteBuffer packet) {
    return PacketCodec.isAddressed(packet);
  }

  /** The connection that {@code packet}, which {@link #isAddressed}, is for. */
  public static int connection(ByteBuffer packet) {
    return PacketCodec.connection(packet);
  }

  /**
   * Asks the peer for a sign of life at once, and until it {@link #isAnswered}. Its silence counts
   * from now on: before, it need not have listened.
   */
  public void greet(long nowNs) {
    peer.onHeard(nowNs);
    greeting.want();
  }

  /** Whether the peer has answered something: packets get through both ways. */
  public boolean isAnswered() {
    return answered;
  }

  /** Whether {@link #send} would take a message now. */
  public boolean hasRoomToSend() {
    return sending.hasRoom();
  }

  /** Whether {@link #receive} would take a message now. */
  public boolean hasRoomToReceive() {
    return receiving.hasRoom();
  }

  /**
   * Queues a send; false, and counted, while the queue is full. The memory is the channel's until
   * {@link Channel.Completions#onSent}.
   */
  public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    checkRange(memory, offset, sizeBytes);
    if (closing.state() != CloseHandshake.State.OPEN) {
      throw new IllegalStateException("the channel is closing");
    }
    return sending.submit(tag, memory, offset, sizeBytes);
  }

  /** Queues a receive; false, and counted, while the queue is full. */
  public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    checkRange(memory, offset, sizeBytes);
    return receiving.expect(tag, memory, offset, sizeBytes);
  }

  private static void checkRange(LocalMemory memory, long offset, long sizeBytes) {
    if (offset < 0 || sizeBytes < 0 || offset > memory.sizeBytes() - sizeBytes) {
      throw new IndexOutOfBoundsException(
          "[%s, +%s) is outside memory of %s bytes"
              .formatted(offset, sizeBytes, memory.sizeBytes()));
    }
  }

  /**
   * A packet has come, between position and limit. The first byte of it lies at {@code
   * hostAddress}; if this begins a copy, it stays there until that has finished. Malformed packets
   * are counted and dropped. If the memory of a message does not take what is in it, {@link #poll}
   * says so.
   */
  public void onPacket(ByteBuffer packet, long hostAddress, long nowNs) {
    dispatcher.hostAddress = hostAddress - packet.position();
    dispatcher.nowNs = nowNs;
    if (!isTaking()) {
      tellAgain(packet);
      return;
    }
    try {
      if (parts.read(packet, wire.id, scratch, dispatcher)) {
        peer.onHeard(nowNs);
      } else {
        wire.counters.refused++;
      }
    } catch (TomboloException e) {
      fail(e, ResetReason.of(e));
    }
  }

  /**
   * A packet of the peer's has come with a mark (congestion experienced, RFC 3168): a queue on its
   * way is long. The peer is told with the next acknowledgement.
   */
  public void onMark() {
    receiving.onMark();
  }

  /** The peer is of a build that does not ask for clear-to-sends: it gets its first unasked. */
  public void onPeerThatNeverAsks() {
    receiving.onPeerThatNeverAsks();
  }

  private boolean isTaking() {
    return failure == null || parts.takesAfterItsEnd();
  }

  private void stopTaking() {
    if (!isTaking()) {
      receiving.giveUp();
    }
  }

  /** Whoever still talks to a failed end has not heard of it; one reset never answers another. */
  private void tellAgain(ByteBuffer packet) {
    if (resetReason != null && !PacketCodec.isReset(packet)) {
      sendReset();
    }
  }

  /**
   * A remote write into our slab has completed with {@code immediate}. If the memory of a message
   * does not take what is there, {@link #poll} says so.
   */
  public void onImmediate(int immediate, long nowNs) {
    if (Immediate.flow(immediate) != wire.id.flow()) {
      wire.counters.refused++;
      return;
    }
    if (!isTaking()) {
      return;
    }
    peer.onHeard(nowNs);
    try {
      receiving.onImmediate(immediate, nowNs);
    } catch (TomboloException e) {
      fail(e, ResetReason.of(e));
    }
  }

  /** A remote write came under a key that is no longer valid, and landed nowhere. */
  public void onFencedWrite() {
    receiving.onFencedWrite();
  }

  /** The wire no longer reads the memory of the chunk it was given with {@code cookie}. */
  public void onPosted(long cookie) {
    sending.onPosted(cookie);
  }

  /**
   * The wire has dropped a write of {@code sizeBytes} that it was given with {@code immediate}, as
   * {@link PacketSender#sendAgain} says.
   */
  public void onTooLate(int immediate, int sizeBytes) {
    sending.onTooLate(immediate, sizeBytes);
  }

  /**
   * The wire has dropped a packet without payload, as {@link PacketSender#sendControl} says. An
   * acknowledgement is made anew; the others are repeated where nothing answers them.
   */
  public void onControlTooLate() {
    receiving.onControlTooLate();
  }

  /**
   * Sends what may be sent, repeats what is lost, reports what is complete.
   *
   * @return how many things were done
   * @throws TomboloException if the channel has failed: {@link PeerFailedException} after too long
   *     a silence, {@link io.tombolo.base.errors.DeadlineExceededException} after too long without
   *     progress, {@link io.tombolo.base.errors.CorruptException} if send and receive do not match
   */
  public int poll(long nowNs, Channel.Completions completions) {
    if (failure != null) {
      return lastWords(completions);
    }
    try {
      return closing.state() == CloseHandshake.State.CLOSED
          ? closing.poll(true, nowNs)
          : advance(nowNs, completions);
    } catch (TomboloException e) {
      fail(e, ResetReason.of(e));
      throw e;
    }
  }

  /** What has arrived before the failure is still delivered. */
  private int lastWords(Channel.Completions completions) {
    int done = receiving.settle() + receiving.complete(completions);
    if (done == 0 && (receiving.copiesPending() == 0 || lostSight().isPresent())) {
      throw failure;
    }
    return done;
  }

  private void fail(TomboloException why, ResetReason toTell) {
    failure = why;
    resetReason = toTell;
    stopTaking();
    sendReset();
  }

  private void sendReset() {
    if (!wire.sender.sendControl(PacketCodec.reset(wire.buffer(), wire.id, resetReason.number()))) {
      wire.counters.backPressured++; // the peer's next packet is answered with it
    }
  }

  private int advance(long nowNs, Channel.Completions completions) {
    if (peer.isGivenUp(nowNs) && !closing.onSilence()) {
      throw peer.failure(wire.id, nowNs);
    }
    int done = receiving.poll(nowNs) + sending.poll(nowNs);
    done += sending.complete(completions) + receiving.complete(completions);
    if (closing.isPeerClosed() && receiving.isMissingChunks()) {
      throw new PeerFailedException(
          "rank %s, flow %s: closed while receives of ours wait; the peer sent fewer messages"
              .formatted(wire.id.peer(), wire.id.flow()));
    }
    int told = closing.poll(sending.isIdle(), nowNs);
    if (told > 0) {
      receiving.onPing(); // who is about to leave says once more what it has received
    }
    done += told + greeting.poll(nowNs);
    if ((sending.takeTimedOut() || peer.isAskDue(nowNs)) && wire.sendBare(PacketCodec.PING)) {
      peer.onAsked(nowNs);
      sending.rest();
    }
    return done;
  }

  /**
   * Tells that this process has not run for {@code pauseNs} until {@code nowNs}, see {@link
   * PauseWatch}: timers begin anew, and the pause is no part of round trips that were under way.
   */
  public void onPause(long pauseNs, long nowNs) {
    sending.onPause(pauseNs, nowNs);
    peer.onPause(pauseNs);
  }

  /** When {@link #poll} must be called at the latest, if nothing arrives before. */
  public long nextWakeNs() {
    long flowsNs = Math.min(sending.nextWakeNs(), receiving.nextWakeNs());
    long peerNs = Math.min(peer.nextWakeNs(), greeting.nextWakeNs());
    return Math.min(flowsNs, Math.min(peerNs, closing.nextWakeNs()));
  }

  /** How long {@link #poll} need not be called from {@code nowNs} on, if nothing arrives before. */
  public long restNs(long nowNs) {
    long wakeNs = nextWakeNs();
    if (wakeNs == Moment.NEVER) {
      return Long.MAX_VALUE;
    }
    return wakeNs <= nowNs ? 0 : wakeNs - nowNs;
  }

  /** Begins an orderly end: what was queued is sent, then the peer is told. */
  public void close() {
    closing.close();
  }

  /**
   * Ends at once: the peer is told, and each packet that still comes is answered so. Nothing is
   * sent or received any more; copies under way go on, see {@link #settle}.
   */
  public void abort() {
    if (failure == null) {
      fail(closedHere(), ResetReason.CLOSED);
    }
  }

  /**
   * Ends at once because of {@code why}, which {@link #poll} did not meet: the peer is told that
   * this end has failed, and {@link #poll} says why.
   */
  public void fail(TomboloException why) {
    if (failure == null) {
      fail(why, ResetReason.of(why));
    }
  }

  /**
   * Ends at once and says nothing more. What peers still write is never delivered, and the slots
   * for it are free again.
   */
  public void leave() {
    if (failure == null) {
      failure = closedHere();
    }
    stopTaking();
    resetReason = null;
  }

  private AbortedException closedHere() {
    return new AbortedException(
        "rank %s, flow %s: the channel is closed on this side"
            .formatted(wire.id.peer(), wire.id.flow()));
  }

  /** Notes copies that have finished, of a channel that is not polled any more; how many. */
  public int settle() {
    return receiving.settle();
  }

  /** Whether the peer has said that it has nothing more to send, and closed its end. */
  public boolean isPeerClosed() {
    return closing.isPeerClosed();
  }

  /** Whether it has failed only because the peer has told that its own end did, or is closed. */
  public boolean isEndedByPeer() {
    return endedByPeer;
  }

  /** Whether every queued send is acknowledged and its memory handed back. */
  public boolean isIdle() {
    return sending.isIdle() && !receiving.isMissingChunks() && receiving.copiesPending() == 0;
  }

  /** Whether both sides have nothing more to say. */
  public boolean isClosed() {
    return closing.state() == CloseHandshake.State.CLOSED;
  }

  /** Copies into memory of receives that have not finished. */
  public int copiesPending() {
    return receiving.copiesPending();
  }

  /** What a device says instead of whether those have finished: they are pending for good then. */
  public Optional<TomboloException> lostSight() {
    return receiving.lostSight();
  }

  /** Chunks that may be in flight now. */
  public int windowChunks() {
    return sending.windowChunks();
  }

  /** The smoothed round-trip time in nanoseconds. */
  public long smoothedRttNs() {
    return wire.rtt.srttNs();
  }

  /** Copies into memory of receives that have finished since the beginning, in order of start. */
  public long copiesFinished() {
    return receiving.copiesFinished();
  }

  /** All that have begun. */
  public long copiesStarted() {
    return receiving.copiesFinished() + receiving.copiesPending();
  }

  /**
   * Tells {@code listener}, for each chunk that had to be repeated, how many nanoseconds passed
   * from its first transmission to its acknowledgement.
   */
  public void onRecovered(LongConsumer listener) {
    sending.onRecovered(listener);
  }

  /** What has happened so far. */
  public ProtocolCounters counters() {
    return wire.counters;
  }

  /** Hands packets to the half they are for. */
  private final class Dispatcher implements Packet {
    private long hostAddress;
    private long nowNs;

    @Override
    public void onData(int psn, int attempt, int payloadIndex, int payloadBytes) {
      if (wire.config.shape() == ProtocolConfig.Shape.DATAGRAM) {
        receiving.onDatagram(psn, attempt, hostAddress + payloadIndex, payloadBytes, nowNs);
      } else {
        wire.counters.refused++;
      }
    }

    @Override
    public void onAck(
        int cumulative,
        int base,
        int echoPsn,
        int echoAttempt,
        int echoFlags,
        int ackDelayNs,
        byte marked,
        ByteBuffer packet,
        int words,
        int wordsIndex) {
      answered |= !closing.isPeerClosed(); // who leaves says what it has received, unasked
      if (answered) {
        greeting.rest();
      }
      sending.onAck(
          cumulative,
          base,
          echoPsn,
          echoAttempt,
          echoFlags,
          ackDelayNs,
          marked,
          packet,
          words,
          wordsIndex,
          nowNs);
    }

    @Override
    public void onGrant(Grant raw, int attempt) {
      sending.onGrant(raw, attempt);
    }

    @Override
    public void onGrantAck(int next, long seen, int echoNumber, int echoAttempt) {
      receiving.onGrantAck(next, seen, echoNumber, echoAttempt, nowNs);
    }

    @Override
    public void onRequest(int needed) {
      receiving.onRequest(needed);
    }

    @Override
    public void onPing() {
      receiving.onPing();
    }

    @Override
    public void onClose() {
      closing.onClose();
    }

    @Override
    public void onReset(int reason) {
      endedByPeer |= failure == null;
      failure = ResetReason.failure(reason, wire.id);
      stopTaking();
    }

    @Override
    public void onCloseAck() {
      closing.onCloseAck();
    }
  }
}
