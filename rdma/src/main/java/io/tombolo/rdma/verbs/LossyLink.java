// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.CloseStack;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.reliable.ChannelId;
import io.tombolo.rdma.reliable.PacketSender;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.PostedMessage;
import io.tombolo.rdma.staged.SlotLines;
import io.tombolo.rdma.staged.Sockets;
import io.tombolo.rdma.staged.TransferQueue;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel over unreliable queue pairs: the reliable protocol, fed from the channel's queues. A
 * socket carries the handshake and stays open, so that each side sees the other's end.
 */
final class LossyLink implements MessageLink {
  private static final Logger log = LoggerFactory.getLogger(LossyLink.class);

  /** What datagrams to our queue pairs show; the job token is what keeps strangers out. */
  static final int DATAGRAM_KEY = 0x544f4d42;

  /** Idle rounds between two looks at the socket and at the device's events: system calls. */
  private static final int ROUNDS_PER_LOOK = 64;

  /** How long a peer that has closed its end may still acknowledge, or say why it went. */
  private static final long LAST_WORDS_NS = 100_000_000;

  private final LossyPort port;
  private final Joined joined;
  private final TransferQueue sends;
  private final TransferQueue receives;
  private final Ticker ticker;
  private final PeerEnd end;
  private final LinkOpening opening;
  private final LinkFailure failure;
  private final Completed completed = new Completed();
  private final LinkWire wire;
  private ReliableChannel reliable;
  private final SlotLines.Line copiesOut = new SlotLines.Line();
  private final SlotLines.Line copiesIn = new SlotLines.Line();
  private int slotsTaken;
  private int openCopies;
  private int openReads;
  private long directBytes;
  private boolean freed;
  private boolean ready;
  private int idleRounds;
  private boolean gone;
  private long goneNs;
  private boolean over;
  private boolean closed;
  private boolean drained;
  private long overNs;

  LossyLink(
      LossyPort port,
      Joined joined,
      TransferQueue sends,
      TransferQueue receives,
      int paths,
      Optional<Faults> faults,
      Ticker ticker) {
    this.port = port;
    this.joined = joined;
    this.sends = sends;
    this.receives = receives;
    this.ticker = ticker;
    try (CloseStack stack = new CloseStack()) {
      wire =
          stack.opened(
              new LinkWire(this, port, faults, ticker, cookie -> reliable.onPosted(cookie)));
      end = stack.opened(new PeerEnd(port, paths));
      opening = new LinkOpening(port, end, joined.socket(), ticker);
      failure = new LinkFailure(port, end);
      port.serve(this);
      stack.keep();
    }
  }

  /**
   * Ready once the peer has answered through the first queue pair: what lets the socket through may
   * drop its packets. If a pair breaks before that, never; if one does afterwards, it still is.
   */
  @Override
  public boolean isReady() {
    ready |= opening.isDone() && reliable.isAnswered() && !failure.isThere();
    return ready;
  }

  @Override
  public String doing() {
    return opening.doing();
  }

  @Override
  public int progress() throws IOException {
    long nowNs = ticker.read();
    if (failure.isThere()) {
      failure.check(nowNs);
      return 0;
    }
    if (!opening.isDone()) {
      return open(nowNs);
    }
    if (freed) {
      throw Borrowed.freed();
    }
    int steps = (isReady() ? feed() : awaitAnswer(nowNs)) + wire.progress() + advance(nowNs);
    send();
    return steps;
  }

  private int open(long nowNs) throws IOException {
    int steps = opening.exchange();
    if (opening.connect()) {
      ChannelId id = new ChannelId(joined.peer(), 0, end.connection());
      reliable =
          new ReliableChannel(
              id,
              port.sizing().protocol(end.mtuBytes(), end.paths()),
              wire.sender(),
              port.slab(),
              nowNs);
      if (!opening.peer().asks()) {
        reliable.onPeerThatNeverAsks();
      }
      port.listen(end.connection(), this);
      opening.ready();
    }
    if (opening.isDone()) {
      reliable.greet(nowNs);
      opening.onGreeted(nowNs);
    }
    return steps;
  }

  private int awaitAnswer(long nowNs) throws IOException {
    if (isPeerGone()) {
      throw new EOFException(
          "the other side closed the connection before it was ready" + opening.hint(nowNs));
    }
    return 0;
  }

  /** A silence has a reason that only the device knows, or that lies between the two. */
  private int advance(long nowNs) throws IOException {
    try {
      return reliable.poll(nowNs, completed);
    } catch (PeerFailedException | DeadlineExceededException e) {
      failure.askDevice(e.getMessage());
      throw isReady() ? e : new PeerFailedException(e.getMessage() + opening.hint(nowNs));
    }
  }

  /** Hands over what the protocol has room for. */
  private int feed() {
    int fed = 0;
    for (; sends.hasCurrent() && reliable.hasRoomToSend(); fed++) {
      PostedMessage t = sends.current();
      if (!reliable.send(t.tag(), t.memory(), t.position(), t.sizeBytes())) {
        break;
      }
      sends.finishCurrent();
    }
    for (; receives.hasCurrent() && reliable.hasRoomToReceive(); fed++) {
      PostedMessage t = receives.current();
      if (!reliable.receive(t.tag(), t.memory(), t.position(), t.sizeBytes())) {
        break;
      }
      receives.finishCurrent();
    }
    return fed;
  }

  private void send() {
    port.outgoing().progress(this);
    try {
      end.flush();
    } catch (TomboloException e) {
      failure.onRefused(e); // so that nothing more is posted, not even a last word
      throw e;
    }
  }

  /** Packets are the port's business. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (gone || wire.isFaulty() || failure.isThere() || reliable.copiesPending() > 0) {
      wakeUps.soon();
      return;
    }
    wakeUps.within(reliable.restNs(ticker.read()));
    joined.socket().awaits(wakeUps);
  }

  /** Whose failure it is that a pair broke, {@link #progress} tells. */
  @Override
  public boolean isPeerGone() throws IOException {
    if (failure.isThere()) {
      return false;
    }
    if (!gone && ++idleRounds % ROUNDS_PER_LOOK == 0) {
      failure.checkDevice();
      gone = opening.isPeerGone();
      goneNs = ticker.read();
    }
    boolean unreported = sends.hasUnreported() || receives.hasUnreported();
    return gone && !unreported && !mayStillSpeak();
  }

  @Override
  public boolean isEndedByPeer() {
    return reliable != null && reliable.isEndedByPeer() && !failure.isThere();
  }

  /** The socket's end overtakes packets that are still in the receive queue. */
  private boolean mayStillSpeak() {
    boolean awaited =
        !isReady()
            || sends.outstanding() > 0
            || (receives.outstanding() > 0 && !reliable.isPeerClosed());
    return awaited && ticker.read() - goneNs < LAST_WORDS_NS;
  }

  @Override
  public String howPeerWent() {
    String how = "the peer closed its end, or its process died; look at its output";
    port.nic().events().check(how); // it may have gone because of that
    return how;
  }

  @Override
  public boolean isDrained() {
    return reliable.copiesPending() == 0;
  }

  /** After {@link #hangUp}, what was posted gets a moment to leave. */
  @Override
  public boolean isQuiet() {
    if (opening.isUnderWay()) {
      return false; // that call uses our queue pairs
    }
    failure.checkCopies();
    long nowNs = ticker.read();
    port.progress(nowNs);
    wire.progress();
    port.outgoing().progress();
    if (reliable != null) {
      end.flush();
      reliable.settle();
    }
    if (hasLostSight()) {
      throw reliable.lostSight().get();
    }
    boolean copied =
        openCopies == 0 && wire.isQuiet() && (reliable == null || reliable.copiesPending() == 0);
    return copied && (slotsTaken == 0 || nowNs - overNs > LAST_WORDS_NS);
  }

  @Override
  public long sentBytes() {
    return reliable == null
        ? 0
        : reliable.counters().payloadBytesSent - reliable.counters().payloadBytesRepeated;
  }

  @Override
  public long receivedBytes() {
    return reliable == null ? 0 : reliable.counters().payloadBytesReceived;
  }

  @Override
  public Optional<ProtocolCounters> protocolCounters() {
    return Optional.ofNullable(reliable).map(ReliableChannel::counters);
  }

  /** Includes chunks that were sent again, and those that faults have lost. */
  @Override
  public long copiedBytes() {
    return reliable == null
        ? 0
        : reliable.counters().payloadBytesSent - directBytes + reliable.counters().bytesCopied;
  }

  /** Includes chunks that were sent again. */
  @Override
  public long directBytes() {
    return directBytes;
  }

  /** Says what was received last, or that this end gives up, before the socket tells of the end. */
  @Override
  public void hangUp() {
    opening.cancel();
    try {
      if (!over) {
        finish();
      }
    } finally {
      if (openReads > 0) {
        end.abort(); // the memory of messages is their owner's again; the socket tells of the end
      }
    }
  }

  private void finish() {
    try {
      if (opening.isDone() && !failure.isThere()) {
        sayGoodbye();
        send();
      }
      if (reliable != null && failure.isThere()) {
        reliable.leave(); // others get its slots
      }
    } finally {
      over = true;
      overNs = ticker.read();
      Sockets.closeQuietly(joined.socket());
    }
  }

  /**
   * An acknowledgement, which goes along with an orderly end, would answer the peer's questions.
   */
  private void sayGoodbye() {
    if (!reliable.isIdle() || !reliable.isAnswered()) {
      reliable.abort();
      return;
    }
    try {
      reliable.close();
      for (int round = 0; round < 2; round++) { // the end, and what was received until then
        reliable.poll(ticker.read(), completed);
      }
    } catch (TomboloException e) {
      log.debug("rank {} cannot be told of the end: {}", joined.peer(), e.getMessage());
    }
  }

  @Override
  public void close() {
    letGo();
    wire.close();
  }

  /**
   * Where in the memory of all channels the copy is does not matter: it goes with the port. There
   * is none before the end is connected.
   */
  @Override
  public void abandon() {
    if (reliable != null) {
      port.keepMapped();
    }
    letGo();
  }

  private void letGo() {
    hangUp();
    opening.end();
    if (reliable != null) {
      reliable.leave();
    }
    closed = true;
    end.abort();
    if (!drained) { // it takes a while
      port.drain(this, end, ticker);
      drained = true;
    }
    port.forget(this);
    end.close();
  }

  /** Whether nothing is to be sent for it any more. */
  boolean isOver() {
    return over || failure.isThere();
  }

  /** To be told of what goes wrong with its pairs, its requests and its copies. */
  LinkFailure failure() {
    return failure;
  }

  /** The numbers of its own queue pairs. */
  List<Integer> pairs() {
    return end.pairs();
  }

  int connection() {
    return end.connection();
  }

  SendLane lane(int pair) {
    return end.lane(pair);
  }

  SendLane laneFor(boolean write) {
    return end.laneFor(write);
  }

  /** The time now on the clock of its protocol. */
  long nowNs() {
    return ticker.read();
  }

  /** Adds to {@code request} where datagrams to the peer go. */
  void address(SendRequests request) {
    end.address(request);
  }

  void slotTaken() {
    slotsTaken++;
  }

  void slotFreed() {
    slotsTaken--;
  }

  /** In which its slots wait for their payload to be copied in. */
  SlotLines.Line copiesOut() {
    return copiesOut;
  }

  /** In which slots wait until what it copies out of them is. */
  SlotLines.Line copiesIn() {
    return copiesIn;
  }

  void copyStarted() {
    openCopies++;
  }

  void onCopied(long cookie) {
    openCopies--;
    posted(cookie);
  }

  /** The NIC will read {@code sizeBytes} where a message lies. */
  void borrowed(int sizeBytes) {
    openReads++;
    directBytes += sizeBytes;
  }

  /** It has, or never will; {@code wasFreed}: of memory that was freed too early. */
  void givenBack(long cookie, boolean wasFreed) {
    openReads--;
    freed |= wasFreed;
    posted(cookie);
  }

  /**
   * A repeat has not left, of which no byte counts as sent. What {@linkplain LinkWire faults} have
   * made of one is nobody's, and as lost as what they lose.
   */
  void onTooLate(int immediate, int sizeBytes, long cookie, boolean isBorrowed) {
    if (isBorrowed) {
      directBytes -= sizeBytes;
    }
    if (cookie != PacketSender.NOBODYS) {
      reliable.onTooLate(immediate, sizeBytes);
    }
  }

  /** What the protocol said has not left, and is old by now. */
  void onControlTooLate() {
    reliable.onControlTooLate();
  }

  private void posted(long cookie) {
    if (cookie != PacketSender.NOBODYS) {
      reliable.onPosted(cookie);
    }
  }

  /** Whether a copy of what is in {@code packet} has begun. */
  boolean onPacket(ByteBuffer packet, long hostAddress, long nowNs) {
    opening.onHeard();
    long started = reliable.copiesStarted();
    reliable.onPacket(packet, hostAddress, nowNs);
    return reliable.copiesStarted() > started;
  }

  void onMark() {
    reliable.onMark();
  }

  void onImmediate(int immediate, long nowNs) {
    if (reliable != null && !closed) {
      reliable.onImmediate(immediate, nowNs);
    }
  }

  void onFencedWrite() {
    if (reliable != null) {
      reliable.onFencedWrite();
    }
  }

  void onPause(long pauseNs, long nowNs) {
    reliable.onPause(pauseNs, nowNs);
  }

  /** Whether it is not known any more if a copy out of a slot goes on. */
  boolean hasLostSight() {
    return reliable != null && reliable.lostSight().isPresent();
  }

  long copiesFinished() {
    return reliable.copiesFinished();
  }

  long copiesStarted() {
    return reliable.copiesStarted();
  }

  /** What the protocol completes waits for the user's poll. */
  private final class Completed implements Channel.Completions {
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
