// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;

import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import org.testng.annotations.Test;

/** Clear-to-sends that get lost. */
public class GrantRepairTest {
  private static final long RTT_NS = 100_000;

  /** The sender needs them in order: a back-off would stop it for milliseconds. */
  @Test
  public void shouldRepeatALostOneSoonWhenALaterOneWasAnswered() {
    try (SimulatedMemory memory = new SimulatedMemory(100)) {
      ChannelId id = new ChannelId(1, 0, 7);
      Grants wire = new Grants();
      Count count = new Count();
      ProtocolConfig config = ProtocolConfig.of(Shape.DATAGRAM, 1024);
      ReliableChannel channel = new ReliableChannel(id, config, wire, null, 0);
      channel.receive(0, memory, 0, 10);
      channel.poll(0, count);
      channel.receive(1, memory, 0, 10);
      channel.poll(1, count);
      assertEquals(wire.sent, 2);
      ByteBuffer answer = PacketCodec.newBuffer(64);
      PacketCodec.grantAck(answer, id, 0, 0b10, 1, 0); // the first has not come
      channel.onPacket(answer, 0, RTT_NS + 1);
      channel.poll(RTT_NS * 5 / 4 - 1, count);
      assertEquals(wire.sent, 2);
      channel.poll(RTT_NS * 5 / 4, count);
      assertEquals(wire.sent, 3);
    }
  }

  /** A wire that counts them. */
  private static final class Grants extends Sink {
    private int sent;

    @Override
    public boolean sendControl(ByteBuffer packet) {
      sent += PacketTamper.type(packet) == PacketCodec.GRANT ? 1 : 0;
      return super.sendControl(packet);
    }
  }
}
