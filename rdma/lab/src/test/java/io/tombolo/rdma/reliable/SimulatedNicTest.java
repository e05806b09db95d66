// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static io.tombolo.rdma.lab.simulated.SimulatedNic.NO_WINDOWS;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The limits of simulated NICs hold. */
public class SimulatedNicTest {
  private static final int INLINE = 64;
  private static final int PACKETS = 20;
  private static final int MANY = 1000;

  @DataProvider
  Object[][] sizes() {
    return new Object[][] {{INLINE, 1}, {INLINE + 1, 2}};
  }

  /** Inline, it is read when it is posted; else when it leaves, as it is then. */
  @Test(dataProvider = "sizes")
  public void shouldReadOnlyWhatGoesInlineAtOnce(int sizeBytes, int expected) {
    SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
    byte[] heard = new byte[1];
    try (SimulatedEndpoint from =
            endpoint(network, 0, new SimulatedNic(2, 1, MANY, INLINE, NO_WINDOWS, true));
        SimulatedEndpoint to = endpoint(network, 1, SimulatedNic.ample());
        SimulatedMemory memory = new SimulatedMemory(sizeBytes)) {
      join(from, to, packet -> heard[0] = packet.get(packet.limit() - 1));
      memory.bytes().put(sizeBytes - 1, new byte[] {1}, 0, 1);
      assertTrue(send(from, memory));
      memory.bytes().put(sizeBytes - 1, new byte[] {2}, 0, 1);
      while (heard[0] == 0 && network.step()) {}
      assertEquals(heard[0], expected);
    }
  }

  @DataProvider
  Object[][] holdingTwo() {
    return new Object[][] {
      {new SimulatedNic(2, 1, MANY, 0, NO_WINDOWS, true)},
      {new SimulatedNic(9, 1, 4, 0, NO_WINDOWS, true)}
    };
  }

  @Test(dataProvider = "holdingTwo")
  public void shouldRefuseWhatItsQueuesDoNotHold(SimulatedNic nic) {
    SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
    try (SimulatedEndpoint from = endpoint(network, 0, nic);
        SimulatedEndpoint to = endpoint(network, 1, SimulatedNic.ample());
        SimulatedMemory memory = new SimulatedMemory(INLINE)) {
      join(from, to, packet -> {});
      assertTrue(send(from, memory));
      assertTrue(send(from, memory));
      assertFalse(send(from, memory));
    }
  }

  @DataProvider
  Object[][] receiving() {
    return new Object[][] {
      {SimulatedNic.ample(), PACKETS},
      {new SimulatedNic(MANY, 4, MANY, 0, NO_WINDOWS, true), 4},
      {new SimulatedNic(MANY, MANY, 4, 0, NO_WINDOWS, true), 4},
    };
  }

  /** They all come while the process stands still. */
  @Test(dataProvider = "receiving")
  public void shouldDropWhatFindsNoPlaceBeforeItsProcessRuns(SimulatedNic nic, int expected) {
    FaultPlan plan = FaultPlan.calm(10_000).toBuilder().turns(1, 10_000_000).build();
    SimulatedNetwork network = new SimulatedNetwork(1, plan, 2);
    int[] heard = new int[1];
    try (SimulatedEndpoint from = endpoint(network, 0, SimulatedNic.ample());
        SimulatedEndpoint to = endpoint(network, 1, nic);
        SimulatedMemory memory = new SimulatedMemory(INLINE)) {
      join(from, to, packet -> heard[0]++);
      for (int i = 0; i < PACKETS; i++) {
        assertTrue(send(from, memory));
      }
      BulkFlow.run(network, 500_000_000);
      assertEquals(heard[0], expected);
    }
  }

  @Test
  public void shouldBindOneWindowAtATime() {
    SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
    try (SimulatedSlab slab = new SimulatedSlab(network, 2, 64, 8, 0, 1000)) {
      assertEquals(slab.renew(1), SlabFence.PENDING);
      assertEquals(slab.renew(0), SlabFence.PENDING, "one at a time");
      network.at(1001, () -> assertEquals(slab.renew(1), (1 << 8) + 1));
      network.at(1002, () -> assertEquals(slab.renew(0), SlabFence.PENDING));
      network.at(2003, () -> assertEquals(slab.renew(0), 1));
      BulkFlow.run(network, 2003);
    }
  }

  /** Whether this NIC or its peer's lacks what a write takes, none is posted. */
  @Test
  public void shouldTakeNoWriteWithoutUnreliableConnectionsAtBothEnds() {
    SimulatedNic without = new SimulatedNic(MANY, MANY, MANY, 0, NO_WINDOWS, false);
    assertEquals(SimulatedNic.ample().shapeTo(SimulatedNic.ample()), Shape.PLACES_REMOTELY);
    for (SimulatedNic peers : List.of(without, SimulatedNic.ample())) {
      SimulatedNic ours = peers.hasUc() ? without : SimulatedNic.ample();
      assertEquals(ours.shapeTo(peers), Shape.DATAGRAM);
      SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
      try (SimulatedEndpoint from = endpoint(network, 0, ours);
          SimulatedEndpoint to = endpoint(network, 1, peers);
          SimulatedMemory memory = new SimulatedMemory(INLINE)) {
        join(from, to, packet -> {});
        assertThrows(
            IllegalStateException.class, () -> from.sendWrite(0, 0, 0, memory, 0, INLINE, 0));
      }
    }
  }

  private static boolean send(SimulatedEndpoint from, SimulatedMemory memory) {
    ByteBuffer header = ByteBuffer.allocate(PacketCodec.DATA_HEADER_BYTES);
    return from.sendDatagram(header, memory, 0, (int) memory.sizeBytes(), 0);
  }

  private static SimulatedEndpoint endpoint(SimulatedNetwork network, int node, SimulatedNic nic) {
    return new SimulatedEndpoint(network, node, null, 1024, nic);
  }

  /** Packets that come to {@code to} are shown to {@code hearing}. */
  private static void join(
      SimulatedEndpoint from, SimulatedEndpoint to, Consumer<ByteBuffer> hearing) {
    ProtocolParts listening =
        new ProtocolParts() {
          @Override
          boolean read(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
            hearing.accept(packet);
            return true;
          }
        };
    from.run(channel(1, from, new ProtocolParts()), to, null);
    to.run(channel(0, to, listening), from, null);
  }

  private static ReliableChannel channel(int peer, PacketSender wire, ProtocolParts parts) {
    ProtocolConfig config = ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, 512);
    return new ReliableChannel(new ChannelId(peer, 0, 7), config, wire, null, parts, 0);
  }
}
