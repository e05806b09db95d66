// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.sun.management.ThreadMXBean;
import io.tombolo.base.LocalMemory;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.testng.annotations.Test;

/** In steady state a message costs no garbage, loss and repeats included. */
public class AllocationTest {
  private static final int WARM_UP = 3000;
  private static final int MESSAGES = 5000;
  private static final int MESSAGE_BYTES = 40_000;
  private static final long STEP_NS = 20_000;

  /** Room for what the JVM itself does on this thread; one object a message would be 80 000. */
  private static final long NOISE_BYTES = 16_384;

  private final LocalMemory memory = new Untouched(MESSAGE_BYTES);
  private final Count count = new Count();
  private long nowNs;

  @Test
  public void shouldAllocateNothingPerMessageInSteadyState() {
    ProtocolConfig config = ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, 4096);
    Queue toReceiver = new Queue(23);
    Queue toSender = new Queue(29);
    ReliableChannel from =
        new ReliableChannel(new ChannelId(1, 0, 0), config, toReceiver, null, nowNs);
    ReliableChannel to = new ReliableChannel(new ChannelId(0, 0, 0), config, toSender, null, nowNs);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < WARM_UP; i++) {
      exchange(from, to, toReceiver, toSender, i);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < MESSAGES; i++) {
      exchange(from, to, toReceiver, toSender, WARM_UP + i);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    System.out.printf(
        "%d bytes allocated over %d messages, %d chunks repeated%n",
        bytes, MESSAGES, from.counters().resentByDetector() + from.counters().resentByTimeout);
    assertEquals(count.received, WARM_UP + MESSAGES);
    assertTrue(from.counters().resentByDetector() > 0);
    assertTrue(bytes < NOISE_BYTES, bytes + " bytes over " + MESSAGES + " messages");
  }

  private void exchange(
      ReliableChannel from, ReliableChannel to, Queue toReceiver, Queue toSender, long tag) {
    from.send(tag, memory, 0, MESSAGE_BYTES);
    to.receive(tag, memory, 0, MESSAGE_BYTES);
    while (count.received <= tag || count.sent <= tag) {
      nowNs += STEP_NS;
      from.poll(nowNs, count);
      to.poll(nowNs, count);
      toReceiver.drain(to, from, nowNs);
      toSender.drain(from, to, nowNs);
    }
  }

  /** A wire that loses every n-th packet and keeps the others until they are taken. */
  private static final class Queue implements PacketSender {
    private final ByteBuffer[] packets = new ByteBuffer[256];
    private final int lossEvery;
    private int size;
    private int offered;
    private final long[] cookies = new long[256];
    private int posted;

    Queue(int lossEvery) {
      this.lossEvery = lossEvery;
      for (int i = 0; i < packets.length; i++) {
        packets[i] = PacketCodec.newBuffer(8192);
      }
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      return offer(packet, 0);
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      if (!offer(header, sizeBytes)) {
        return false;
      }
      cookies[posted++] = cookie;
      return true;
    }

    private boolean offer(ByteBuffer head, int payloadBytes) {
      if (size == packets.length || posted == cookies.length) {
        return false;
      }
      if (++offered % lossEvery != 0) {
        ByteBuffer packet = packets[size++];
        packet.clear();
        packet.put(head);
        packet.position(packet.position() + payloadBytes).flip();
      }
      return true;
    }

    @Override
    public boolean sendAgain(
        int immediate,
        int key,
        long address,
        LocalMemory memory,
        long offset,
        int size,
        long id,
        long untilNs) {
      throw new AssertionError("datagrams only");
    }

    void drain(ReliableChannel to, ReliableChannel from, long nowNs) {
      for (int i = 0; i < size; i++) {
        to.onPacket(packets[i], 0, nowNs);
      }
      size = 0;
      for (int i = 0; i < posted; i++) {
        from.onPosted(cookies[i]);
      }
      posted = 0;
    }
  }
}
