// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import java.nio.ByteBuffer;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The limits of simulated NICs hold. */
public class SimulatedNicTest {
  private static final int INLINE = 64;

  @DataProvider
  Object[][] sizes() {
    return new Object[][] {{INLINE, 1}, {INLINE + 1, 2}};
  }

  /** Inline, it is read when it is posted; else when it leaves, as it is then. */
  @Test(dataProvider = "sizes")
  public void shouldReadOnlyWhatGoesInlineAtOnce(int sizeBytes, int expected) {
    SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
    byte[] heard = new byte[1];
    try (SimulatedEndpoint from = endpoint(network, 0, new SimulatedNic(2, 1, INLINE));
        SimulatedEndpoint to = endpoint(network, 1, SimulatedNic.ample());
        SimulatedMemory memory = new SimulatedMemory(sizeBytes)) {
      ReliableChannel hearing =
          channel(
              0,
              to,
              new ProtocolParts() {
                @Override
                boolean read(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
                  heard[0] = packet.get(packet.limit() - 1);
                  return true;
                }
              });
      from.run(channel(1, from, new ProtocolParts()), to, null);
      to.run(hearing, from, null);
      memory.bytes().put(sizeBytes - 1, new byte[] {1}, 0, 1);
      assertTrue(send(from, memory));
      memory.bytes().put(sizeBytes - 1, new byte[] {2}, 0, 1);
      while (heard[0] == 0 && network.step()) {}
      assertEquals(heard[0], expected);
    }
  }

  @Test
  public void shouldRefuseWhatItsQueueDoesNotHold() {
    SimulatedNetwork network = new SimulatedNetwork(1, FaultPlan.calm(10_000), 2);
    try (SimulatedEndpoint from = endpoint(network, 0, new SimulatedNic(2, 1, 0));
        SimulatedEndpoint to = endpoint(network, 1, SimulatedNic.ample());
        SimulatedMemory memory = new SimulatedMemory(INLINE)) {
      from.run(channel(1, from, new ProtocolParts()), to, null);
      assertTrue(send(from, memory));
      assertTrue(send(from, memory));
      assertFalse(send(from, memory));
    }
  }

  private static boolean send(SimulatedEndpoint from, SimulatedMemory memory) {
    ByteBuffer header = ByteBuffer.allocate(PacketCodec.DATA_HEADER_BYTES);
    return from.sendDatagram(header, memory, 0, (int) memory.sizeBytes(), 0);
  }

  private static SimulatedEndpoint endpoint(SimulatedNetwork network, int node, SimulatedNic nic) {
    return new SimulatedEndpoint(network, node, null, 1024, nic);
  }

  private static ReliableChannel channel(int peer, PacketSender wire, ProtocolParts parts) {
    ProtocolConfig config = ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, 512);
    return new ReliableChannel(new ChannelId(peer, 0, 7), config, wire, null, parts, 0);
  }
}
