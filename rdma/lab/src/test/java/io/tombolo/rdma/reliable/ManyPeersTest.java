// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.CloseStack;
import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * One process with 128 slots, whose peers all send it one message after the other: half of the
 * slots are enough for 64 of them to have a clear-to-send before the message is there. Simulated
 * time; what one process costs for many peers is not in it.
 */
public class ManyPeersTest {
  private static final int SLOTS = 128;
  private static final int HALF = SLOTS / 2;
  private static final long GBIT = 125_000_000;
  private static final int PACKET_BYTES = 8192;
  private static final ProtocolConfig CONFIG =
      ProtocolConfig.of(Shape.PLACES_REMOTELY, 4096).toBuilder().flight(512, 200_000).build();

  /** A path of which only the length counts: a message is one packet. */
  private static final Path LONG = new Path(10_000_000, 0, 4096, 100, 512);

  /** And one that 64 fill. More than 256 fill its queue, with slots or without. */
  private static final Path BUSY = new Path(20_000, 10 * GBIT, 1 << 16, 7500, 256);

  private record Path(long rttNs, long rate, int messageBytes, int roundTrips, int mostPeers) {
    FaultPlan plan() {
      FaultPlan plan = FaultPlan.calm(rttNs / 2);
      return rate == 0 ? plan : plan.withRate(rate, Long.MAX_VALUE);
    }
  }

  @DataProvider
  Object[][] paths() {
    return new Object[][] {{LONG}, {BUSY}};
  }

  @Test(dataProvider = "paths")
  public void shouldCarryAsMuchOfMorePeersAsOf64(Path path) {
    double of64 = bytesPerSecond(path, HALF, 0);
    StringBuilder seen = new StringBuilder();
    IntStream more = IntStream.of(HALF + 1, 96, SLOTS, 192, 256, 512);
    for (int peers : more.filter(peers -> peers <= path.mostPeers).toArray()) {
      double part = bytesPerSecond(path, peers, 0) / of64;
      seen.append(String.format(", %d: %.2f", peers, part));
      assertTrue(part >= 0.9, path + ": " + peers + " peers have " + part);
    }
    System.out.printf("%s: 64 peers have %.1f MB/s; of that%s%n", path, of64 / 1e6, seen);
  }

  /** One waits until it asks, and one brings the request there and the clear-to-send back. */
  @Test
  public void shouldTakeTwoRoundTripsMoreBeside64SilentReceives() {
    double alone = bytesPerSecond(LONG, 1, HALF - 1);
    double beside = bytesPerSecond(LONG, 1, HALF);
    System.out.printf(
        "beside 63 silent receives one peer has %.2f times as much%n", alone / beside);
    assertTrue(alone / beside >= 2.8 && alone / beside <= 3.2, "times " + alone / beside);
  }

  /** What {@code talking} peers send while as many as {@code silent} are awaited in vain. */
  private static double bytesPerSecond(Path path, int talking, int silent) {
    SimulatedNetwork network = new SimulatedNetwork(7, path.plan(), 2);
    try (CloseStack stack = new CloseStack()) {
      SimulatedSlab slab = stack.opened(new SimulatedSlab(network, SLOTS, CONFIG.segmentBytes()));
      SimulatedSlab peersSlab = stack.opened(new SimulatedSlab(network, 1, CONFIG.segmentBytes()));
      for (int i = 0; i < silent; i++) {
        ReliableChannel channel =
            new ReliableChannel(new ChannelId(1, 0, i), CONFIG, new Sink(), slab.pool(), 0);
        channel.receive(0, new Untouched(1), 0, 1);
        channel.poll(0, new Count());
      }
      long halfNs = path.roundTrips / 2 * path.rttNs;
      List<Talk> all = new ArrayList<>();
      for (int i = 0; i < talking; i++) {
        Talk talk = stack.opened(new Talk(network, slab, peersSlab, path.messageBytes));
        network.at(halfNs / 2 * i / talking, talk::begin);
        all.add(talk);
      }
      BulkFlow.run(network, halfNs);
      long before = all.stream().mapToLong(Talk::sentBytes).sum();
      BulkFlow.run(network, halfNs);
      all.forEach(Talk::check);
      return (all.stream().mapToLong(Talk::sentBytes).sum() - before) * 1e9 / halfNs;
    }
  }

  /** Messages of one peer: each is sent when the one before has been acknowledged. */
  private static final class Talk implements Channel.Completions, AutoCloseable {
    private final LocalMemory memory;
    private final SimulatedEndpoint sender;
    private final SimulatedEndpoint receiver;
    private final ReliableChannel from;
    private final ReliableChannel to;

    Talk(SimulatedNetwork network, SimulatedSlab slab, SimulatedSlab peersSlab, int messageBytes) {
      memory = new Untouched(messageBytes);
      sender = new SimulatedEndpoint(network, 1, peersSlab, PACKET_BYTES);
      receiver = new SimulatedEndpoint(network, 0, slab, PACKET_BYTES);
      from =
          new ReliableChannel(
              new ChannelId(0, 0, 0), CONFIG, sender, peersSlab.pool(), network.clockNs(1));
      to =
          new ReliableChannel(
              new ChannelId(1, 0, 0), CONFIG, receiver, slab.pool(), network.clockNs(0));
    }

    void begin() {
      sender.run(from, receiver, this);
      receiver.run(to, sender, this);
      onSent(0, 0);
      onReceived(0, 0);
    }

    @Override
    public void onSent(long tag, long sizeBytes) {
      from.send(0, memory, 0, memory.sizeBytes());
      sender.wake();
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      to.receive(0, memory, 0, memory.sizeBytes());
      receiver.wake();
    }

    /** Without repeats. */
    long sentBytes() {
      return from.counters().payloadBytesSent - from.counters().payloadBytesRepeated;
    }

    void check() {
      assertTrue(sender.failure() == null && receiver.failure() == null, "a peer has failed");
    }

    @Override
    public void close() {
      sender.close();
      receiver.close();
    }
  }
}
