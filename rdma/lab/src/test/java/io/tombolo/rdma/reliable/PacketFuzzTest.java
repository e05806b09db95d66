// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Malformed, truncated and hostile packets: counted and dropped, or a clean failure. */
public class PacketFuzzTest {
  private static final ChannelId ID = new ChannelId(1, 7, 42);
  private static final int PACKET_BYTES = 1100;
  private final Count count = new Count();

  @Test
  public void shouldRefuseEveryTruncationOfEveryPacket() {
    for (byte type = 0; type <= PacketCodec.REQUEST; type++) {
      byte[] packet = packet(new SplittableRandom(type), type);
      for (int length = 0; length < packet.length; length++) {
        ByteBuffer cut = ByteBuffer.wrap(packet, 0, length).slice();
        assertFalse(
            PacketCodec.decode(cut.order(ByteOrder.LITTLE_ENDIAN), ID, new Grant(), null),
            "type " + type + " cut to " + length);
      }
    }
  }

  @DataProvider
  Object[][] shapes() {
    return new Object[][] {{Shape.DATAGRAM}, {Shape.PLACES_REMOTELY}};
  }

  @Test(dataProvider = "shapes")
  public void shouldStayInsideItsMemoryWhateverArrives(Shape shape) {
    int survived = 0;
    for (long seed = 0; seed < 300; seed++) {
      survived += survives(seed, shape) ? 1 : 0;
    }
    assertTrue(survived > 0);
  }

  /** Floods one channel; the memory around its receive must not change, and its slots come back. */
  private boolean survives(long seed, Shape shape) {
    SplittableRandom random = new SplittableRandom(seed);
    ProtocolConfig config = ProtocolConfig.of(shape, 1024).toBuilder().window(64, 4).build();
    SimulatedNetwork network = new SimulatedNetwork(seed, FaultPlan.calm(1), 1);
    try (SimulatedMemory memory = new SimulatedMemory(3 * 8192);
        SimulatedSlab slab = new SimulatedSlab(network, 2, config.segmentBytes());
        NativeMemory scratch = NativeMemory.allocate(PACKET_BYTES)) {
      ReliableChannel channel = new ReliableChannel(ID, config, new Sink(), slab.pool(), 0);
      channel.receive(1, memory, 8192, 8192);
      channel.send(1, memory, 8192, 5000);
      try {
        for (int i = 0; i < 300; i++) {
          feed(channel, random, scratch, i * 1000L);
        }
        return true;
      } catch (TomboloException expected) {
        return false;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      } finally {
        assertZero(memory, 0, seed);
        assertZero(memory, 2 * 8192, seed);
        channel.leave();
        assertEquals(slab.pool().slotsInUse(), 0, "seed " + seed);
      }
    }
  }

  private void feed(
      ReliableChannel channel, SplittableRandom random, NativeMemory scratch, long nowNs) {
    int drawn = random.nextInt(PacketCodec.PING + 2);
    byte type = drawn > PacketCodec.PING ? PacketCodec.REQUEST : (byte) drawn;
    byte[] packet = packet(random, type);
    if (random.nextInt(4) == 0) {
      packet[random.nextInt(packet.length)] = (byte) random.nextInt();
    }
    scratch.put(0, packet, 0, packet.length);
    channel.onPacket(scratch.view(0, packet.length), scratch.address(), nowNs);
    channel.onImmediate(random.nextInt(), nowNs);
    channel.poll(nowNs, count);
  }

  private static void assertZero(SimulatedMemory memory, long offset, long seed) {
    for (byte b : memory.bytes().get(offset, 8192)) {
      assertTrue(b == 0, "seed " + seed + " wrote outside");
    }
  }

  /** A packet with a sound header, and a body that is small numbers or noise. */
  private static byte[] packet(SplittableRandom random, byte type) {
    int bodyBytes =
        switch (type) {
          case PacketCodec.DATA -> 4 + (random.nextBoolean() ? 1024 : random.nextInt(1060));
          case PacketCodec.ACK -> 20 + 8 * random.nextInt(5);
          case PacketCodec.GRANT -> 56;
          case PacketCodec.GRANT_ACK -> 16;
          case PacketCodec.REQUEST -> 4;
          default -> 0;
        };
    ByteBuffer packet =
        ByteBuffer.allocate(PacketCodec.HEADER_BYTES + bodyBytes).order(ByteOrder.LITTLE_ENDIAN);
    packet.put("TOMB".getBytes(StandardCharsets.US_ASCII));
    packet.put(PacketCodec.VERSION).put(type).put((byte) 7).put((byte) random.nextInt());
    packet.putInt(42).putInt(bodyBytes);
    boolean small = random.nextBoolean();
    while (packet.hasRemaining()) {
      boolean zero = small && packet.position() % 4 != 0;
      packet.put((byte) (zero ? 0 : random.nextInt(small ? 16 : 256)));
    }
    return packet.array();
  }
}
