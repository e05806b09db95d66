package io.tombolo.rdma.verbs;

import io.tombolo.base.HostPinner;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotHeader;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.SlotRing;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.util.Optional;

/**
 * Slots written straight into the peer's ring. Each write carries the slot's sequence as immediate,
 * so that the peer learns of it; a released slot is told by writing the count into the sender's
 * credit cell.
 */
final class RcLink implements SlotLink {
  /** Idle rounds between two looks at the socket and at the device's events: system calls. */
  private static final int ROUNDS_PER_LOOK = 64;

  private final Nic nic;
  private final PeerSocket socket;
  private final RcMemory memory;
  private final RcPair pair;
  private final PairExchange exchange;
  private final int[] payloadBytes;
  private long handedOver;
  private long sentBytes;
  private long arrived;
  private long released;
  private long toldReleased;
  private boolean telling;
  private boolean gone;
  private int idleRounds;

  RcLink(Nic nic, PeerSocket socket, SlotGeometry geometry, HostPinner pinner) {
    this.nic = nic;
    this.socket = socket;
    this.payloadBytes = new int[geometry.slots()];
    this.memory = new RcMemory(nic.domain(), geometry, pinner);
    this.pair = new RcPair(nic, memory, geometry.slots());
    this.exchange = new PairExchange(socket, pair.card());
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
    int steps = pair.poll(this::onCompletion);
    tellReleased();
    pair.flush();
    return steps;
  }

  private int open() throws IOException {
    Optional<PairCard> peer = exchange.peer();
    int steps = exchange.progress();
    if (peer.isEmpty() && exchange.peer().isPresent()) {
      pair.connect(exchange.peer().get());
      exchange.ready();
    }
    return steps;
  }

  private void onCompletion(RcPair.Kind kind, int value) {
    switch (kind) {
      case WRITTEN -> {
        sentBytes += payloadBytes[out().index(handedOver)];
        handedOver++;
      }
      case TOLD -> telling = false;
      case ARRIVED -> {
        if (value != (int) arrived) {
          throw new CorruptException("slot " + value + " came where slot " + arrived + " is due");
        }
        arrived++;
      }
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
    return Math.min(handedOver, memory.releasedByPeer()) + out().slots();
  }

  @Override
  public void publish(long sequence, int slotPayloadBytes) {
    payloadBytes[out().index(sequence)] = slotPayloadBytes;
    pair.write(sequence, SlotHeader.SIZE_BYTES + slotPayloadBytes);
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
  public long arrived() {
    return arrived;
  }

  @Override
  public void release(long sequence) {
    released = sequence + 1;
  }

  @Override
  public boolean isPeerGone() throws IOException {
    if (!gone && ++idleRounds % ROUNDS_PER_LOOK == 0) {
      nic.events().progress();
      gone = exchange.isPeerGone();
      Optional<String> failure = nic.events().failureOf(pair.number());
      if (!gone && failure.isPresent()) {
        throw new IOException(failure.get() + " on " + nic);
      }
    }
    return gone;
  }

  @Override
  public void hangUp() {
    gone = true;
    Sockets.closeQuietly(socket);
  }

  @Override
  public void close() {
    hangUp();
    pair.close();
    memory.close();
  }
}
