// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.CloseStack;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Channels of one process share the slab that their peers write into. */
public class SharedSlabTest {
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.PLACES_REMOTELY, 1024);
  private static final int SLOTS = 128;
  private static final int ROOM_BYTES = 4096;
  private static final int SEGMENT_BYTES = (int) CONFIG.segmentBytes();

  private SimulatedNetwork network;
  private SimulatedSlab slab;
  private SimulatedSlab peersSlab;
  private SimulatedMemory memory;
  private Count count;

  @BeforeMethod
  public void make() {
    network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 3);
    slab = new SimulatedSlab(network, SLOTS, SEGMENT_BYTES);
    peersSlab = new SimulatedSlab(network, SLOTS, SEGMENT_BYTES);
    memory = new SimulatedMemory(SEGMENT_BYTES);
    count = new Count();
  }

  @AfterMethod
  public void free() {
    slab.close();
    peersSlab.close();
    memory.close();
  }

  @DataProvider
  public Object[][] silentPeers() {
    return new Object[][] {{1}, {8}, {40}, {200}};
  }

  @Test(dataProvider = "silentPeers")
  public void shouldDeliverThoughSilentPeersAreAwaitedForMoreThanTheSlabHolds(int silent) {
    assertTrue(isDeliveredBesideSilentPeers(silent, slab.pool()));
  }

  /** A past finding, put back. */
  @Test
  public void shouldNoticeAChannelThatTakesAllSlotsThereAre() {
    SlabPool greedy =
        new SlabPool(SLOTS, SEGMENT_BYTES, slab.pool().hostAddress(0), 0, 0, slab) {
          @Override
          int acquire(SlabShare share, boolean asked, long nowNs) {
            return super.acquire(new SlabShare(), true, nowNs);
          }
        };
    assertFalse(isDeliveredBesideSilentPeers(2, greedy));
  }

  @Test
  public void shouldServeAPeerThatNeverAsksBesideSilentOnes() {
    awaitSilentPeers(40, slab.pool());
    assertTrue(isDelivered(slab.pool(), Unasking::new, ReliableChannel::onPeerThatNeverAsks));
  }

  /** Three messages each: who has had a slot waits again, behind the others. */
  @Test
  public void shouldServeAThousandThatAskForTheSameFewSlots() {
    try (SimulatedSlab few = new SimulatedSlab(network, 32, SEGMENT_BYTES);
        CloseStack endpoints = new CloseStack()) {
      for (int peer = 0; peer < 1000; peer++) {
        SimulatedEndpoint here =
            endpoints.opened(new SimulatedEndpoint(network, 0, few, ROOM_BYTES));
        SimulatedEndpoint there =
            endpoints.opened(new SimulatedEndpoint(network, 2, peersSlab, ROOM_BYTES));
        ReliableChannel to = channel(3 + peer, here, few.pool());
        ReliableChannel from = channel(0, there, peersSlab.pool());
        for (int i = 0; i < 3; i++) {
          to.receive(i, memory, 0, 1000);
          from.send(i, memory, 0, 1000);
        }
        here.run(to, there, count);
        there.run(from, here, count);
      }
      BulkFlow.run(network, 1_000_000_000);
      assertEquals(count.received, 3000);
    }
  }

  @Test
  public void shouldServeThoseInLineWhenPeersThatAskedAreGivenUp() {
    List<ReliableChannel> dead = new ArrayList<>();
    for (int peer = 0; peer < SLOTS; peer++) {
      dead.add(asked(3 + peer, slab.pool()));
    }
    assertEquals(slab.pool().slotsInUse(), SLOTS);
    ReliableChannel next = asked(1, slab.pool());
    ByteBuffer ping = PacketCodec.newBuffer(64);
    PacketCodec.bare(ping, id(1), PacketCodec.PING);
    next.onPacket(ping, 0, CONFIG.giveUpNs() / 2);
    for (ReliableChannel channel : dead) {
      assertThrows(PeerFailedException.class, () -> channel.poll(CONFIG.giveUpNs(), count));
    }
    assertEquals(slab.pool().slotsInUse(), 0);
    next.poll(CONFIG.giveUpNs(), count);
    assertTrue(slab.pool().slotsInUse() > 0);
  }

  /** A channel that awaits messages, whose peer has said that it has one, and then says no more. */
  private ReliableChannel asked(int peer, SlabPool pool) {
    ReliableChannel channel = channel(peer, new Sink(), pool);
    for (int i = 0; i < 8; i++) {
      channel.receive(i, memory, 0, 1000);
    }
    hear(channel, to -> PacketCodec.request(to, id(peer), 1));
    channel.poll(0, count);
    return channel;
  }

  @DataProvider
  public Object[][] ends() {
    Consumer<ReliableChannel> abort = ReliableChannel::abort;
    Consumer<ReliableChannel> leave = ReliableChannel::leave;
    Consumer<ReliableChannel> reset =
        channel -> hear(channel, to -> PacketCodec.reset(to, id(2), ResetReason.CLOSED.number()));
    Consumer<ReliableChannel> giveUp =
        channel ->
            assertThrows(PeerFailedException.class, () -> channel.poll(CONFIG.giveUpNs(), count));
    return Map.of("abort", abort, "leave", leave, "reset", reset, "silence", giveUp)
        .entrySet()
        .stream()
        .flatMap(end -> Stream.of(true, false).map(called -> row(end, called)))
        .toArray(Object[][]::new);
  }

  private static Object[] row(Map.Entry<String, Consumer<ReliableChannel>> end, boolean called) {
    return new Object[] {end.getKey(), called, end.getValue()};
  }

  /** Before its turn has come, or between that and its next look. */
  @Test(dataProvider = "ends")
  public void shouldServeTheNextWhenAChannelEndsInLine(
      String name, boolean called, Consumer<ReliableChannel> end) {
    try (SimulatedSlab one = new SimulatedSlab(network, 1, SEGMENT_BYTES)) {
      ReliableChannel holder = asked(1, one.pool());
      ReliableChannel ending = asked(2, one.pool());
      ReliableChannel next = asked(3, one.pool());
      if (called) {
        holder.leave();
        next.poll(1, count);
        assertEquals(one.pool().slotsInUse(), 0, "kept for the one called");
      }
      end.accept(ending);
      holder.leave();
      next.poll(1, count);
      assertEquals(one.pool().slotsInUse(), 1);
    }
  }

  @Test
  public void shouldNotTakeARequestOfAFormerConnectionForOneOfThis() {
    try (SimulatedSlab one = new SimulatedSlab(network, 1, SEGMENT_BYTES)) {
      ReliableChannel channel = channel(1, new Sink(), one.pool());
      channel.receive(0, memory, 0, 1000);
      hear(channel, to -> PacketCodec.request(to, new ChannelId(1, 0, 6), 1));
      channel.poll(0, count);
      assertEquals(one.pool().slotsInUse(), 0);
      assertEquals(channel.counters().refused, 1);
    }
  }

  /** Of those that are damaged, most name a number that nobody is near. */
  @Test
  public void shouldRefuseARequestForMoreThanAnybodyAsksFor() {
    try (SimulatedSlab one = new SimulatedSlab(network, 1, SEGMENT_BYTES)) {
      ReliableChannel channel = channel(1, new Sink(), one.pool());
      channel.receive(0, memory, 0, 1000);
      for (int needed : new int[] {GrantRequest.MOST + 1, Integer.MAX_VALUE}) {
        hear(channel, to -> PacketCodec.request(to, id(1), needed));
      }
      channel.poll(0, count);
      assertEquals(one.pool().slotsInUse(), 0);
      assertEquals(channel.counters().refused, 2);
      hear(channel, to -> PacketCodec.request(to, id(1), GrantRequest.MOST));
      channel.poll(0, count);
      assertEquals(one.pool().slotsInUse(), 1);
    }
  }

  /** Late, twice, or after a later one: a request takes nothing back, and says nothing new. */
  @Test
  public void shouldHearTheSameInRequestsOfAnyOrder() {
    ReliableChannel channel = channel(1, new Sink(), slab.pool());
    awaitSilentPeers(8, slab.pool());
    int before = slab.pool().slotsInUse();
    for (int i = 0; i < 8; i++) {
      channel.receive(i, memory, 0, 1000);
    }
    for (int time = 0; time < 2; time++) {
      for (int needed : new int[] {1, 3, 3, 0, -1, 2}) {
        hear(channel, to -> PacketCodec.request(to, id(1), needed));
      }
      channel.poll(0, count);
      assertEquals(slab.pool().slotsInUse(), before + 3);
    }
  }

  @Test
  public void shouldKeepSlotsForOthersWhenOneAsksForMoreThanThereAre() {
    ReliableChannel greedy = channel(1, new Sink(), slab.pool());
    for (int i = 0; i < CONFIG.queueDepth(); i++) {
      greedy.receive(i, memory, 0, 1000);
    }
    hear(greedy, to -> PacketCodec.request(to, id(1), GrantRequest.MOST));
    greedy.poll(0, count);
    int greedys = slab.pool().slotsInUse();
    assertEquals(greedys, SLOTS / 2);
    asked(2, slab.pool());
    assertTrue(slab.pool().slotsInUse() > greedys);
  }

  private static ChannelId id(int peer) {
    return new ChannelId(peer, 0, 7);
  }

  private static void hear(ReliableChannel channel, UnaryOperator<ByteBuffer> packet) {
    channel.onPacket(packet.apply(PacketCodec.newBuffer(64)), 0, 0);
  }

  private void awaitSilentPeers(int silentPeers, SlabPool pool) {
    for (int peer = 0; peer < silentPeers; peer++) {
      ReliableChannel awaiting = channel(3 + peer, new Sink(), pool);
      for (int i = 0; i < 64; i++) {
        assertTrue(awaiting.receive(i, memory, 0, SEGMENT_BYTES));
      }
      awaiting.poll(0, count);
    }
  }

  /** Those that are awaited have all that they may have before the talker is there. */
  private boolean isDeliveredBesideSilentPeers(int silentPeers, SlabPool pool) {
    awaitSilentPeers(silentPeers, pool);
    return isDelivered(pool, wire -> wire, to -> {});
  }

  private boolean isDelivered(
      SlabPool pool, UnaryOperator<PacketSender> talkersWire, Consumer<ReliableChannel> knowing) {
    try (SimulatedEndpoint toTalker = new SimulatedEndpoint(network, 0, slab, ROOM_BYTES);
        SimulatedEndpoint talker = new SimulatedEndpoint(network, 2, peersSlab, ROOM_BYTES)) {
      ReliableChannel from = channel(0, talkersWire.apply(talker), peersSlab.pool());
      ReliableChannel to = channel(2, toTalker, pool);
      knowing.accept(to);
      to.receive(1, memory, 0, 1000);
      from.send(1, memory, 0, 1000);
      talker.run(from, toTalker, count);
      toTalker.run(to, talker, count);
      BulkFlow.run(network, 100_000_000);
      return count.received == 1;
    }
  }

  @Test
  public void shouldGiveItsSlotsBackWhenAChannelEndsWithPostedReceives() {
    assertTrue(areGivenBackAtEachEnd(slab.pool()));
  }

  /** A past finding, put back. */
  @Test
  public void shouldNoticeAChannelThatKeepsItsSlotsAtItsEnd() {
    SlabPool leaking =
        new SlabPool(SLOTS, SEGMENT_BYTES, slab.pool().hostAddress(0), 0, 0, slab) {
          @Override
          void release(SlabShare share, int slot) {}
        };
    assertFalse(areGivenBackAtEachEnd(leaking));
  }

  private boolean areGivenBackAtEachEnd(SlabPool pool) {
    ReliableChannel aborted = awaitingEight(pool);
    aborted.abort();
    boolean all = pool.slotsInUse() == 0;
    aborted.leave();
    all &= pool.slotsInUse() == 0;

    ReliableChannel left = awaitingEight(pool);
    left.leave();
    all &= pool.slotsInUse() == 0;

    ReliableChannel reset = awaitingEight(pool);
    hear(reset, to -> PacketCodec.reset(to, id(1), ResetReason.CLOSED.number()));
    return all && pool.slotsInUse() == 0;
  }

  @Test
  public void shouldTouchNoMemoryAfterItsEnd() {
    memory.bytes().put(0, new byte[] {7}, 0, 1);
    ReliableChannel channel = channel(1, new Sink(), slab.pool());
    channel.receive(1, memory, 0, 1);
    channel.poll(0, count);
    channel.abort();
    channel.onImmediate(Immediate.pack(0, 0, 0), 1); // the peer has written all of it
    assertEquals(memory.bytes().get(0, 1)[0], 7);
    assertEquals(channel.counters().payloadBytesReceived, 0);
  }

  @Test
  public void shouldFailAndFreeTheSlotWhenAMessagesMemoryTakesNothing() {
    ReliableChannel channel = channel(1, new Sink(), slab.pool());
    channel.receive(1, new Unwilling(), 0, 1);
    channel.poll(0, count);
    assertEquals(slab.pool().slotsInUse(), 1);
    channel.onImmediate(Immediate.pack(0, 0, 0), 1); // the peer has written all of it
    assertThrows(VendorException.class, () -> channel.poll(2, count));
    assertEquals(slab.pool().slotsInUse(), 0);
  }

  /** Memory of a device that copies nothing. */
  private static final class Unwilling implements LocalMemory {
    @Override
    public long sizeBytes() {
      return 1;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      throw new VendorException("no copy", 1);
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      throw new VendorException("no copy", 1);
    }

    @Override
    public boolean isDone(long ticket) {
      return true;
    }
  }

  private ReliableChannel awaitingEight(SlabPool pool) {
    int before = pool.slotsInUse();
    ReliableChannel channel = channel(1, new Sink(), pool);
    for (int i = 0; i < 8; i++) {
      channel.receive(i, memory, 0, 1000);
    }
    channel.poll(0, count);
    assertEquals(pool.slotsInUse(), before + 8);
    return channel;
  }

  private static ReliableChannel channel(int peer, PacketSender wire, SlabPool pool) {
    return new ReliableChannel(id(peer), CONFIG, wire, pool, 0);
  }
}
