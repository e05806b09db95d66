// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** A sender that has messages and no clear-to-send. */
public class GrantRequestTest {
  private static final ChannelId ID = new ChannelId(1, 0, 7);
  private static final ProtocolConfig CONFIG = ProtocolConfig.of(Shape.PLACES_REMOTELY, 1024);
  private static final int SEGMENT_BYTES = (int) CONFIG.segmentBytes();
  private static final long RTT_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000;

  private final Count count = new Count();
  private SimulatedMemory memory;
  private Requests wire;
  private ReliableChannel channel;

  @BeforeMethod
  public void make() {
    memory = new SimulatedMemory(2L * SEGMENT_BYTES);
    wire = new Requests();
    channel = channel(Shape.PLACES_REMOTELY);
  }

  @AfterMethod
  public void free() {
    memory.close();
  }

  private ReliableChannel channel(Shape shape) {
    SlabPool pool = new SlabPool(1, SEGMENT_BYTES, 0, 0, 0, slot -> 1);
    return new ReliableChannel(ID, ProtocolConfig.of(shape, 1024), wire, pool, 0);
  }

  /** Of two segments, one and an empty one. */
  private void send() {
    channel.send(0, memory, 0, SEGMENT_BYTES + 1);
    channel.send(1, memory, 0, SEGMENT_BYTES);
    channel.send(2, memory, 0, 0);
  }

  @Test
  public void shouldAskForAllItNeedsWhenNoneHasComeForARoundTrip() {
    send();
    channel.poll(0, count);
    channel.poll(RTT_NS - 1, count);
    assertEquals(wire.needed, List.of());
    assertEquals(channel.nextWakeNs(), RTT_NS);
    channel.poll(RTT_NS, count);
    assertEquals(wire.needed, List.of(4));
  }

  @Test
  public void shouldAskLessAndLessOften() {
    send();
    for (long nowNs = 0; nowNs < 60 * SECOND_NS; nowNs = Math.max(nowNs, channel.nextWakeNs())) {
      hear(PacketCodec.bare(PacketCodec.newBuffer(64), ID, PacketCodec.PING), nowNs);
      channel.poll(nowNs, count);
    }
    assertTrue(wire.needed.size() >= 60 && wire.needed.size() <= 70, "times " + wire.needed.size());
  }

  @Test
  public void shouldAskAtOnceAgainWhenItsRequestFoundNoRoom() {
    send();
    channel.poll(0, count);
    wire.isFull = true;
    channel.poll(RTT_NS, count);
    wire.isFull = false;
    channel.poll(RTT_NS + 1, count);
    assertEquals(wire.needed, List.of(4));
  }

  @Test
  public void shouldAskNoMoreWhenAllHaveCome() {
    channel.send(0, memory, 0, 10);
    channel.poll(0, count);
    Grant grant = new Grant();
    grant.sizeBytes = 10;
    grant.messageBytes = 10;
    hear(PacketCodec.grant(PacketCodec.newBuffer(128), ID, grant, 0), 10);
    channel.poll(10, count);
    channel.poll(RTT_NS, count);
    channel.poll(SECOND_NS / 2, count);
    assertEquals(wire.needed, List.of());
    assertTrue(channel.nextWakeNs() > SECOND_NS / 2);
  }

  @Test
  public void shouldAskForNothingWhereNobodyIsShortOfSlots() {
    channel = channel(Shape.DATAGRAM);
    send();
    channel.poll(0, count);
    channel.poll(RTT_NS, count);
    assertEquals(wire.needed, List.of());
  }

  @Test
  public void shouldAskForNoMoreAtOnceThanIsBelieved() {
    long sizeBytes = 2L * GrantRequest.MOST * SEGMENT_BYTES;
    channel.send(0, new Untouched(sizeBytes), 0, sizeBytes);
    channel.poll(0, count);
    channel.poll(RTT_NS, count);
    assertEquals(wire.needed, List.of(GrantRequest.MOST));
  }

  private void hear(ByteBuffer packet, long nowNs) {
    channel.onPacket(packet, 0, nowNs);
  }

  /** A wire that notes them. */
  private static final class Requests extends Sink {
    private final List<Integer> needed = new ArrayList<>();
    private boolean isFull;

    @Override
    public boolean sendControl(ByteBuffer packet) {
      if (!isFull && PacketTamper.type(packet) == PacketCodec.REQUEST) {
        needed.add(packet.getInt(PacketCodec.HEADER_BYTES));
      }
      return !isFull;
    }
  }
}
