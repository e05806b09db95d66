// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static io.tombolo.rdma.lab.simulated.SimulatedNic.NO_WINDOWS;

import io.tombolo.base.CloseStack;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Two peers write into one slab, whose few slots have keys of one bit: one of them little, and the
 * other whole slots, slowly. From the moment on that some message of the first has come, it hears
 * nothing for three seconds, while all that it sends arrives: what it repeats has long been in
 * place, and the slots are the other's by then.
 */
final class FlappingPath implements AutoCloseable {
  private static final long SECOND_NS = 1_000_000_000;
  private static final long FLAP_NS = 3 * SECOND_NS;
  private static final long LONGEST_NS = 60 * SECOND_NS;
  private static final int SLOTS = 4;
  private static final int SEGMENT_CHUNKS = 16;
  private static final int PACKET_BYTES = 2048;

  /** So slow that a slot is being written to for most of the time. */
  private static final long BYTES_PER_SECOND = 100_000;

  private static final ProtocolConfig CONFIG =
      ProtocolConfig.of(Shape.PLACES_REMOTELY, 1024).toBuilder()
          .window(1024, SEGMENT_CHUNKS)
          .queueDepth(4)
          .build();

  private final CloseStack stack = new CloseStack();
  private final SimulatedNetwork network;
  private final SimulatedSlab slab;
  private final long messagesBefore;
  private final Talk deaf;
  private final Talk other;
  private long flapEndNs = Moment.NOW;
  private boolean hasFlapped;

  private FlappingPath(long seed, ProtocolParts parts) {
    FaultPlan plan = FaultPlan.calm(50_000).withRate(BYTES_PER_SECOND, 1 << 20);
    network = new SimulatedNetwork(seed, plan, 3);
    messagesBefore = new SplittableRandom(seed).nextLong(2, 10);
    slab = slab(SLOTS);
    deaf = new Talk(1, 20, CONFIG.chunkBytes(), parts);
    other = new Talk(2, 100, (int) CONFIG.segmentBytes(), new ProtocolParts());
  }

  private SimulatedSlab slab(int slots) {
    return stack.opened(
        new SimulatedSlab(
            network, slots, CONFIG.segmentBytes(), 1, SimulatedSlab.PACKET_LIFE_NS, NO_WINDOWS));
  }

  /** What went wrong, or null, where the one that hears nothing sends with {@code parts}. */
  static String play(long seed, ProtocolParts parts) {
    try (FlappingPath path = new FlappingPath(seed, parts)) {
      while (!path.isOver() && path.network.nowNs() < LONGEST_NS && path.network.step()) {
        path.deaf.goOn();
        path.other.goOn();
      }
      return path.verdict();
    }
  }

  private String verdict() {
    String complaint = deaf.complaint() == null ? other.complaint() : deaf.complaint();
    return complaint != null || deaf.isDone() ? complaint : "not finished: " + deaf.there;
  }

  private boolean isOver() {
    return deaf.isDone() || deaf.complaint() != null || other.complaint() != null;
  }

  /** Whether the next word to the first is lost; that may be the acknowledgement of a message. */
  private boolean isFlapping() {
    long received = deaf.to.counters().payloadBytesReceived / CONFIG.chunkBytes();
    if (!hasFlapped && received >= messagesBefore) {
      hasFlapped = true;
      flapEndNs = network.nowNs() + FLAP_NS;
    }
    return network.nowNs() < flapEndNs;
  }

  @Override
  public void close() {
    stack.close();
  }

  /** Messages of one peer to the slab's side. */
  private final class Talk {
    private final Person there;
    private final Person here;
    private final SimulatedEndpoint atPeer;
    private final SimulatedEndpoint toPeer;
    private final ReliableChannel from;
    private final ReliableChannel to;

    Talk(int peer, int messages, int messageBytes, ProtocolParts parts) {
      int[] sizes = new int[messages];
      Arrays.fill(sizes, messageBytes);
      there = stack.opened(new Person(sizes, new int[0], 1));
      here = stack.opened(new Person(new int[0], sizes, 0));
      SimulatedSlab peers = slab(1);
      atPeer = stack.opened(new SimulatedEndpoint(network, peer, peers, PACKET_BYTES));
      toPeer = stack.opened(new SimulatedEndpoint(network, 0, slab, PACKET_BYTES));
      from =
          new ReliableChannel(
              new ChannelId(0, 0, peer),
              CONFIG,
              atPeer,
              peers.pool(),
              parts,
              network.clockNs(peer));
      to =
          new ReliableChannel(
              new ChannelId(peer, 0, peer),
              CONFIG,
              peer == 1 ? new Flapping(toPeer) : toPeer,
              slab.pool(),
              network.clockNs(0));
      atPeer.run(from, toPeer, there);
      toPeer.run(to, atPeer, here);
    }

    void goOn() {
      if (there.converse(from)) {
        atPeer.wake();
      }
      if (here.converse(to)) {
        toPeer.wake();
      }
    }

    boolean isDone() {
      return there.isDone() && here.isDone();
    }

    String complaint() {
      if (here.complaint() != null) {
        return here.complaint();
      }
      RuntimeException failure = atPeer.failure() != null ? atPeer.failure() : toPeer.failure();
      return failure == null ? null : failure.toString();
    }
  }

  /** Says nothing while the path flaps. */
  private final class Flapping extends PacketTamper {
    Flapping(PacketSender wire) {
      super(wire);
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      return isFlapping() || super.sendControl(packet);
    }
  }
}
