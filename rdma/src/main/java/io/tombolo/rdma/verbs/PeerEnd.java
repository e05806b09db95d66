// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DoAll;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The way to one peer: for UC, queue pairs of its own, each with a flow label and so a path of its
 * own; for UD, an address to send to. Used by one thread at a time.
 */
final class PeerEnd implements AutoCloseable {
  private static final int FLOW_LABELS = 1 << 20;
  private static final int MAX_PSN = 0xffffff;

  private final LossyPort port;
  private final boolean datagrams;
  private final List<SendLane> lanes = new ArrayList<>();
  private final int word = ThreadLocalRandom.current().nextInt();
  private final int psn = ThreadLocalRandom.current().nextInt(MAX_PSN + 1);
  private Optional<PeerAddress> address = Optional.empty();
  private final int label = ThreadLocalRandom.current().nextInt(FLOW_LABELS);
  private PairCard peer;
  private int connected;
  private int next;

  PeerEnd(LossyPort port, int paths) {
    this.port = port;
    datagrams = port.sizing().type() == PairType.UD;
    try (CloseStack stack = new CloseStack()) {
      for (int i = 0; i < paths && !datagrams; i++) {
        lanes.add(stack.opened(port.lane()));
      }
      stack.keep();
    }
  }

  /** What the peer has to know. */
  PairCard card() {
    ImmutableIntArray numbers =
        datagrams
            ? ImmutableIntArray.of(port.datagrams().pair().number())
            : ImmutableIntArray.copyOf(pairs());
    return new PairCard(port.nic().card(), numbers, psn, 0, 0, 0, false, !datagrams, word);
  }

  /** The numbers of the queue pairs that lead only to this peer. */
  ImmutableList<Integer> pairs() {
    return lanes.stream()
        .map(lane -> lane.pair().number())
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Connects to {@code peersEnd}; whether that is done. If the kernel cannot {@linkplain Resolution
   * resolve} its address now, the next call goes on with what is left.
   */
  boolean tryConnect(PairCard peersEnd) {
    peer = peersEnd;
    if (datagrams) {
      AddressAttributes route = port.nic().routeTo(peer.port(), label).withMarks();
      address = port.nic().domain().peerAddress(route);
      return address.isPresent();
    }
    while (connected < paths() && tryConnect(connected)) {
      connected++;
    }
    return connected == paths();
  }

  private boolean tryConnect(int lane) {
    AddressAttributes route = port.nic().routeTo(peer.port(), (label + lane) % FLOW_LABELS);
    PairOptions options = new PairOptions(mtu(), peer.pairs().get(lane), peer.psn(), psn);
    return lanes.get(lane).pair().tryConnect(route, options);
  }

  /** The number of this connection, the same at both ends. */
  int connection() {
    return peer == null ? 0 : word ^ peer.word();
  }

  /** Queue pairs that both ends have. */
  int paths() {
    return datagrams ? 1 : Math.min(lanes.size(), peer.pairs().length());
  }

  /** The path MTU that both ends can do, in bytes. */
  int mtuBytes() {
    return PortAttributes.mtuBytes(mtu());
  }

  private int mtu() {
    return Math.min(port.nic().card().mtu(), peer.port().mtu());
  }

  /** The lane of the queue pair {@code number}. */
  SendLane lane(int number) {
    for (SendLane lane : lanes) {
      if (lane.pair().number() == number) {
        return lane;
      }
    }
    throw new IllegalStateException("queue pair " + number + " is not of this link");
  }

  /** Writes take all lanes in turn; the rest goes through the first. */
  SendLane laneFor(boolean write) {
    if (datagrams) {
      return port.datagrams();
    }
    if (!write) {
      return lanes.get(0);
    }
    next = (next + 1) % paths();
    return lanes.get(next);
  }

  void address(SendRequests request) {
    if (datagrams) {
      request.to(address.orElseThrow(), peer.pairs().get(0), LossyLink.DATAGRAM_KEY);
    }
  }

  /** Posts what was gathered. */
  void flush() {
    if (datagrams) {
      port.flush();
    }
    lanes.forEach(SendLane::flush);
  }

  /** Whether the NIC has nothing more of this peer's to read. */
  boolean isIdle() {
    return lanes.stream().allMatch(SendLane::isIdle);
  }

  /**
   * Stops the NIC on all lanes, also if it refuses one: it reads nothing for this peer any more.
   */
  void abort() {
    DoAll.each(lanes, SendLane::abort);
  }

  @Override
  public void close() {
    while (!lanes.isEmpty()) { // whoever tries again goes on with those that are left
      close(lanes.get(0));
      lanes.remove(0);
    }
    address.ifPresent(PeerAddress::close);
  }

  /** Nobody sends to a pair that was never connected. */
  private void close(SendLane lane) {
    if (peer == null) {
      lane.close(port.outgoing().release());
    } else {
      lane.close(port.outgoing().release(), port.resting());
    }
  }
}
