// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.RetryPause;
import io.tombolo.rdma.staged.SlotMessages;
import io.tombolo.rdma.staged.Sockets;
import io.tombolo.rdma.staged.TransferQueue;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of one channel over {@code rc}, whose rings and queue pair exist only while they are
 * used: some megabytes for a peer that talks, a socket for one that does not.
 *
 * <p>The channel begins asleep. Who has a message to send or to receive says {@link #WAKE}; both
 * then make their end. Who has been idle for a while asks to {@link #REST} and sends nothing more
 * until it is answered; a peer that is idle, too, frees its end and says {@link #YES}, any other
 * {@link #NO}. Two who ask at once have both been answered. All words go through the socket of the
 * handshake, in order, so that none is mistaken for one of another life.
 */
final class RcMessages implements MessageLink {
  private static final Logger log = LoggerFactory.getLogger(RcMessages.class);

  static final byte WAKE = 'W';
  static final byte REST = 'S';
  static final byte YES = 'Y';
  static final byte NO = 'N';

  private static final String HUNG_UP =
      "the peer closed its end, or its process died; look at its output";

  /** Idle for as long, an end is not worth its memory any more. */
  static final long IDLE_NS = 10_000_000_000L;

  /** Idle rounds between two looks at the socket: a system call. */
  private static final int ROUNDS_PER_LOOK = 64;

  private enum State {
    ASLEEP,
    /** We have said so, or the peer has. */
    WAKING,
    AWAKE,
    /** We have asked to rest. */
    ASKING
  }

  private final PeerSocket socket;
  private final Supplier<RcLink> links;
  private final TransferQueue sends;
  private final TransferQueue receives;
  private final Ticker ticker;
  private final RetryPause pause;
  private final ByteBuffer saying = ByteBuffer.allocate(4).limit(0);
  private final ByteBuffer heard = ByteBuffer.allocate(1);
  private final RcTotals before = new RcTotals();
  private Optional<RcLink> link = Optional.empty();
  private Optional<SlotMessages> messages = Optional.empty();

  /** What is left of the last life, if a device does not let go of all of it. */
  private Optional<RcLink> leaving = Optional.empty();

  private State state = State.ASLEEP;
  private boolean peerIsAwake;
  private boolean wasUsed;
  private long usedNs;
  private int rounds;
  private boolean gone;

  /**
   * Messages through {@code socket}'s peer, over what {@code links} makes each time it wakes up.
   */
  RcMessages(
      PeerSocket socket,
      Supplier<RcLink> links,
      TransferQueue sends,
      TransferQueue receives,
      Ticker ticker) {
    this.socket = socket;
    this.links = links;
    this.sends = sends;
    this.receives = receives;
    this.ticker = ticker;
    this.pause = new RetryPause(ticker);
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public String doing() {
    return "its queue pair is not connected yet";
  }

  @Override
  public int progress() throws IOException {
    flush();
    return switch (state) {
      case ASLEEP -> sends.hasCurrent() || receives.hasCurrent() ? startWaking() : 0;
      case WAKING -> wake();
      case AWAKE -> move();
      case ASKING -> hearAnswer();
    };
  }

  private int startWaking() {
    say(WAKE);
    state = State.WAKING;
    return 1;
  }

  private int wake() throws IOException {
    if (!peerIsAwake) {
      hear();
    }
    if (!peerIsAwake || saying.hasRemaining()) {
      return 0;
    }
    link = Optional.of(links.get());
    messages = Optional.of(new SlotMessages(link.get(), sends, receives));
    state = State.AWAKE;
    peerIsAwake = false;
    wasUsed = true;
    return 1;
  }

  private int move() throws IOException {
    int steps = messages.orElseThrow().progress();
    wasUsed |= steps > 0;
    return steps;
  }

  /** As long as nobody has answered, nothing is sent. */
  private int hearAnswer() throws IOException {
    hear();
    return state == State.ASKING ? 0 : 1;
  }

  @Override
  public boolean isPeerGone() throws IOException {
    if (!gone && ++rounds % ROUNDS_PER_LOOK == 0) {
      look();
    }
    // once it asks to rest, only this reads the socket: no word must be left where nobody looks
    return gone
        || (state == State.AWAKE
            && messages.orElseThrow().isReady()
            && messages.get().isPeerGone());
  }

  private void look() throws IOException {
    if (leaving.isPresent() && pause.isOver()) {
      letGo();
    }
    switch (state) {
      case ASLEEP -> gone = hearOrGone();
      case AWAKE -> {
        link.orElseThrow().takeWord().ifPresent(this::onWord);
        if (state == State.AWAKE) {
          considerRest();
        }
      }
      case WAKING, ASKING -> {} // progress listens
    }
  }

  private void considerRest() {
    long nowNs = ticker.read();
    if (wasUsed || !isIdle()) {
      wasUsed = false;
      usedNs = nowNs;
    } else if (nowNs - usedNs > IDLE_NS) {
      say(REST);
      state = State.ASKING;
    }
  }

  /** Whether this life may end: nothing of it is under way, nothing of the last one left. */
  private boolean isIdle() {
    return leaving.isEmpty()
        && sends.outstanding() + receives.outstanding() == 0
        && messages.orElseThrow().isReady()
        && messages.get().isQuiet()
        && link.orElseThrow().isIdle();
  }

  private boolean hearOrGone() throws IOException {
    try {
      hear();
      return false;
    } catch (EOFException e) {
      return true;
    }
  }

  /** Takes one word, if there is one. */
  private void hear() throws IOException {
    int got = socket.read(heard.clear());
    if (got < 0) {
      throw new EOFException(HUNG_UP);
    }
    if (got > 0) {
      onWord(heard.get(0));
    }
  }

  private void onWord(int word) {
    if (word == WAKE && state == State.ASLEEP) {
      peerIsAwake = true;
      startWaking();
    } else if (word == WAKE && state == State.WAKING) {
      peerIsAwake = true;
    } else if (word == REST && state == State.AWAKE) {
      answer();
    } else if (state == State.ASKING && (word == YES || word == REST)) {
      rest();
    } else if (state == State.ASKING && word == NO) {
      state = State.AWAKE;
      wasUsed = true;
    } else {
      throw new CorruptException("the peer says " + word + " while this side is " + state);
    }
  }

  private void answer() {
    if (isIdle()) {
      say(YES);
      rest();
    } else {
      say(NO);
    }
  }

  private void rest() {
    before.add(messages.orElseThrow());
    leaving = link;
    link = Optional.empty();
    messages = Optional.empty();
    state = State.ASLEEP;
    letGo();
  }

  /** The channel goes on if a device refuses that: nobody uses any of it. */
  private void letGo() {
    try {
      leaving.ifPresent(RcLink::free);
      leaving = Optional.empty();
      pause.end();
    } catch (TomboloException e) {
      log.debug("what a channel does not use stays for now: {}", e.getMessage());
      pause.onRefusal();
    }
  }

  private void say(byte word) {
    saying.compact().put(word).flip();
  }

  private void flush() throws IOException {
    if (saying.hasRemaining()) {
      socket.write(saying);
    }
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    switch (state) {
      case ASLEEP -> socket.awaits(wakeUps);
      case AWAKE -> {
        messages.orElseThrow().awaits(wakeUps);
        wakeUps.within(Math.max(0, usedNs + IDLE_NS - ticker.read()));
      }
      case WAKING, ASKING -> wakeUps.soon();
    }
    if (saying.hasRemaining()) {
      wakeUps.soon();
    }
    if (leaving.isPresent()) {
      pause.awaits(wakeUps);
    }
  }

  @Override
  public String howPeerWent() {
    return messages.map(MessageLink::howPeerWent).orElse(HUNG_UP);
  }

  @Override
  public boolean isDrained() {
    return messages.isEmpty() || messages.get().isDrained();
  }

  @Override
  public boolean isQuiet() {
    return messages.isEmpty() || messages.get().isQuiet();
  }

  @Override
  public long sentBytes() {
    return before.sentBytes() + messages.map(SlotMessages::sentBytes).orElse(0L);
  }

  @Override
  public long receivedBytes() {
    return before.receivedBytes() + messages.map(SlotMessages::receivedBytes).orElse(0L);
  }

  @Override
  public long copiedBytes() {
    return before.copiedBytes() + messages.map(SlotMessages::copiedBytes).orElse(0L);
  }

  @Override
  public long engineBytes() {
    return before.engineBytes() + messages.map(SlotMessages::engineBytes).orElse(0L);
  }

  @Override
  public long directBytes() {
    return before.directBytes() + messages.map(SlotMessages::directBytes).orElse(0L);
  }

  @Override
  public void hangUp() {
    messages.ifPresentOrElse(MessageLink::hangUp, () -> Sockets.closeQuietly(socket));
  }

  @Override
  public void close() {
    hangUp();
    messages.ifPresent(MessageLink::close);
    leaving.ifPresent(RcLink::free);
  }

  @Override
  public void abandon() {
    hangUp();
    messages.ifPresent(MessageLink::abandon);
    leaving.ifPresent(RcLink::free);
  }
}
