// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.CloseStack;
import io.tombolo.base.HostPinner;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotHeader;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.SlotRing;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Slots written straight into the peer's ring. Each write carries the slot's sequence as immediate,
 * so that the peer learns of it; a released slot is told by writing the count into the sender's
 * credit cell.
 *
 * <p>A large payload whose message lies in a registered block is written from there; and where the
 * peer has granted the place it belongs to, it is written to that place, and only its header to the
 * ring. Else it goes through the ring, on that side: either side decides for itself.
 */
final class RcLink implements SlotLink {
  /** Idle rounds between two looks at the socket and at the device's events: system calls. */
  private static final int ROUNDS_PER_LOOK = 64;

  /** Payloads up to this go through the ring: that is cheaper than to follow them. */
  private static final int SMALL_BYTES = 4096;

  /**
   * How long a peer's address may be unknown. A channel is open before it connects its pair, with
   * its first message, so no deadline of its opening ends that. The call that is under way then, or
   * waits for its turn, is still waited for: where many peers are unknown, it is the second one.
   */
  private static final long MOST_UNRESOLVED_NS = 10_000_000_000L;

  /** Where a header says whether its payload is in the ring (0) or in its place (1). */
  private static final int PLACED = 44;

  private final NicPort nic;
  private final PeerSocket socket;
  private final RcMemory memory;
  private final RcPair pair;
  private final PairExchange exchange;
  private final Resolution resolution;
  private final Ticker ticker;
  private boolean connected;
  private final Borrowed borrowed;
  private final Grants grants;
  private final int[] payloadBytes;
  private final GrantedSlots granted;
  private long published;
  private long handedOver;
  private long releasedByPeer;
  private long sentBytes;
  private long arrived;
  private long released;
  private long toldReleased;
  private boolean telling;
  private boolean gone;
  private int idleRounds;

  RcLink(
      NicPort nic,
      PeerSocket socket,
      SlotGeometry geometry,
      HostPinner pinner,
      Registrations registrations,
      Ticker ticker) {
    this.nic = nic;
    this.socket = socket;
    this.ticker = ticker;
    this.payloadBytes = new int[geometry.slots()];
    this.granted = new GrantedSlots(geometry.slots());
    try (CloseStack stack = new CloseStack()) {
      this.memory = stack.opened(new RcMemory(nic.domain(), geometry, pinner));
      this.pair = stack.opened(new RcPair(nic, memory, geometry.slots()));
      stack.keep();
    }
    this.borrowed = new Borrowed(registrations, geometry.slots());
    this.grants = new Grants(nic, registrations, pair, memory.ourGrants(), geometry.slots());
    this.exchange = new PairExchange(socket, pair.card());
    this.resolution = new Resolution(nic, ticker);
  }

  @Override
  public boolean isReady() {
    return exchange.isDone();
  }

  @Override
  public int progress() throws IOException {
    if (!exchange.isDone()) {
      return open();
    }
    int steps = poll();
    if (pair.failure().isThere()) {
      tellFailure();
      return steps;
    }
    borrowed.check();
    grants.check();
    tellReleased();
    pair.flush();
    return steps;
  }

  /**
   * The peer grants the place of a slot's next payload before it tells that the slot is free. So
   * what it has told before all completions were taken is known with its grants.
   */
  private int poll() throws IOException {
    long told = memory.releasedByPeer();
    int found = pair.poll(this::onCompletion);
    if (found < RcPair.BATCH) {
      releasedByPeer = told;
    }
    return found;
  }

  private int open() throws IOException {
    int steps = resolution.exchange(exchange);
    Optional<PairCard> peer = exchange.peer();
    if (!connected && peer.isPresent()) {
      connected = resolution.attempt(() -> pair.tryConnect(peer.get()));
      if (connected) {
        exchange.ready(); // said in the next round
        steps++;
      } else if (!resolution.isUnderWay() && resolution.failingNs() > MOST_UNRESOLVED_NS) {
        throw new IOException(resolution.text(peer.get().port()));
      }
    }
    return steps;
  }

  private void onCompletion(RcPair.Kind kind, int value) {
    switch (kind) {
      case WRITTEN -> {
        sentBytes += payloadBytes[out().index(handedOver)];
        borrowed.giveBack(out().index(handedOver));
        handedOver++;
      }
      case TOLD -> telling = false;
      case ARRIVED -> {
        if (!RcPair.isArrivalOf(arrived, value)) {
          throw new CorruptException("slot " + value + " came where slot " + arrived + " is due");
        }
        arrived++;
      }
      case GRANTED -> granted.add(value, published);
      case GRANTING -> grants.onDone(value);
      case CLOSED -> grants.onClosed(value);
    }
  }

  private void tellReleased() {
    if (!telling && toldReleased < released && !gone) {
      pair.tell(released);
      toldReleased = released;
      telling = true;
    }
  }

  @Override
  public SlotRing out() {
    return memory.out();
  }

  @Override
  public SlotRing in() {
    return memory.in();
  }

  @Override
  public long claimable() {
    return Math.min(handedOver, releasedByPeer) + out().slots();
  }

  @Override
  public int borrow(long sequence, LocalMemory source, long position, long rest) {
    int bytes = (int) Math.min(out().payloadBytes(), rest);
    boolean isTaken = bytes > SMALL_BYTES && borrowed.take(out().index(sequence), source, position);
    return isTaken ? bytes : 0;
  }

  @Override
  public void publish(long sequence, int slotPayloadBytes) {
    published = sequence + 1;
    int slot = out().index(sequence);
    payloadBytes[slot] = slotPayloadBytes;
    boolean isGranted = isGranted(slot, sequence, slotPayloadBytes);
    out().view(sequence).putInt(PLACED, isGranted ? 1 : 0);
    if (!isGranted && !borrowed.has(slot)) {
      pair.write(sequence, SlotHeader.SIZE_BYTES + slotPayloadBytes);
      return;
    }
    long from = borrowed.has(slot) ? borrowed.address(slot) : out().payload(sequence);
    int key = borrowed.has(slot) ? borrowed.localKey(slot) : memory.localKey();
    if (isGranted) {
      GrantCells given = memory.peersGrants();
      pair.place(from, key, slotPayloadBytes, given.remoteAddress(slot), given.remoteKey(slot));
    } else {
      pair.place(from, key, slotPayloadBytes, sequence);
    }
    pair.write(sequence, SlotHeader.SIZE_BYTES);
  }

  /**
   * The cell is not read before its grant is here in full, and stays until the slot is released.
   */
  private boolean isGranted(int slot, long sequence, int bytes) {
    GrantCells given = memory.peersGrants();
    return bytes > 0
        && granted.has(sequence)
        && given.sequence(slot) == sequence
        && bytes <= given.bytes(slot);
  }

  @Override
  public long handedOver() {
    return handedOver;
  }

  @Override
  public long sentBytes() {
    return sentBytes;
  }

  @Override
  public boolean takesAims() {
    return true;
  }

  @Override
  public boolean aim(long sequence, LocalMemory target, long position, int bytes) {
    return bytes > SMALL_BYTES
        && sequence >= arrived
        && pair.peerTakesGrants()
        && Grants.canBeGiven(nic)
        && grants.give(in().index(sequence), sequence, target, position, bytes);
  }

  @Override
  public boolean isPlaced(long sequence) {
    ByteBuffer header = in().view(sequence);
    boolean isPlaced = header.getInt(PLACED) != 0;
    if (isPlaced) {
      grants.checkPlaced(in().index(sequence), header.getInt(SlotHeader.PAYLOAD_BYTES));
    }
    return isPlaced;
  }

  @Override
  public long arrived() {
    return arrived;
  }

  @Override
  public void release(long sequence) {
    grants.end(in().index(sequence));
    released = sequence + 1;
  }

  /**
   * What the peer writes waits in the ring for a message here; its end shows on the socket.
   * Requests of this side that are under way end in a moment, and nothing tells of that. Nor does
   * anything come of a peer that waits for our word.
   */
  @Override
  public void awaits(WakeUps wakeUps) {
    boolean mayFinish = telling || toldReleased < released || !grants.isQuiet();
    if (mayFinish || exchange.hasUnsaid() || pair.failure().isThere()) {
      wakeUps.soon();
    } else if (!gone) {
      socket.awaits(wakeUps);
      resolution.awaits(wakeUps);
    }
  }

  @Override
  public boolean isPeerGone() throws IOException {
    if (!gone && ++idleRounds % ROUNDS_PER_LOOK == 0) {
      nic.events().progress();
      nic.events().checkDevice();
      gone = !pair.failure().isThere() && exchange.isPeerGone();
      if (nic.events().failureOf(pair.number()).isPresent() && !gone) {
        tellFailure();
      }
    }
    return gone;
  }

  /** Throws why the pair broke, once that is known: what says it may be behind others. */
  private void tellFailure() throws IOException {
    while (poll() == RcPair.BATCH) {} // all that has come
    pair.failure().check(ticker.read());
  }

  /** A port of ours that is down fails the peer, too, and it may be the first to leave. */
  @Override
  public String howPeerWent() {
    String how = SlotLink.super.howPeerWent();
    nic.events().check(how);
    return how;
  }

  /** What the peer has said through the socket since {@link #isReady}, if anything. */
  OptionalInt takeWord() {
    return exchange.takeWord();
  }

  /** Whether neither side has a slot, a count or a grant under way, as far as this side knows. */
  boolean isIdle() {
    return releasedByPeer == published
        && handedOver == published
        && released == arrived
        && toldReleased == released
        && !telling
        && grants.isQuiet();
  }

  /** The call that connects the pair must not find it destroyed. */
  @Override
  public boolean isQuiet() {
    return !resolution.isUnderWay();
  }

  /**
   * The memory of messages is their owner's again. A pair that is still being connected has nothing
   * to do with any, and its peer, who does not hear that it is, writes nothing.
   */
  @Override
  public void hangUp() {
    gone = true;
    resolution.cancel();
    try {
      if (!resolution.isUnderWay()) {
        pair.abort();
      }
    } finally {
      Sockets.closeQuietly(socket);
    }
  }

  @Override
  public void close() {
    hangUp();
    free();
  }

  @Override
  public void abandon() {
    if (connected) {
      memory.keepMapped();
    }
    close();
  }

  /**
   * Frees the rings and the pair, and leaves the socket; nothing is under way. If a device refuses
   * something, the next call goes on with what is left.
   */
  void free() {
    resolution.end();
    pair.close();
    grants.close();
    borrowed.close();
    memory.close();
  }
}
