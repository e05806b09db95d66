// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.reliable.PacketSender;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** What goes wrong, how often, and what is never done wrong. */
public final class FaultyWireTest {
  private static final int PACKETS = 5000;
  private static final int PACKET_BYTES = 100;

  private final List<Integer> arrived = new ArrayList<>();
  private final List<Integer> written = new ArrayList<>();
  private final List<Long> cookies = new ArrayList<>();
  private final List<Long> untilNs = new ArrayList<>();
  private final List<Long> posted = new ArrayList<>();
  private FaultyWire wire;
  private long nowNs;

  private FaultyWire wire(String faults) {
    arrived.clear();
    written.clear();
    cookies.clear();
    untilNs.clear();
    posted.clear();
    nowNs = 0;
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return nowNs;
          }
        };
    wire = new FaultyWire(new Collector(), Faults.parse(faults), PACKET_BYTES, ticker, posted::add);
    return wire;
  }

  @AfterMethod
  public void close() {
    wire.close();
  }

  private void send(int count) {
    for (int i = 0; i < count; i++) {
      assertTrue(wire.sendControl(packet(i)));
      nowNs += 1000;
      wire.progress();
    }
    nowNs += 1_000_000_000;
    wire.progress();
  }

  @Test
  public void shouldPassEverythingInOrderWhenNothingIsToGoWrong() {
    wire("");
    send(PACKETS);
    assertEquals(arrived.size(), PACKETS);
    assertTrue(isInOrder());
  }

  @Test
  public void shouldLoseAndRepeatAsOftenAsItIsTold() {
    wire("loss=10%,duplicate=5%,delay=10us");
    send(PACKETS);
    long distinct = arrived.stream().distinct().count();
    assertEquals(wire.counters().lost, PACKETS - distinct);
    assertEquals(wire.counters().repeated, arrived.size() - distinct);
    assertEquals((double) wire.counters().lost, PACKETS / 10.0, PACKETS / 50.0);
    assertEquals((double) wire.counters().repeated, PACKETS * 0.9 / 20, PACKETS / 50.0);
  }

  @Test
  public void shouldRepeatItselfWhenTheSeedIsTheSame() {
    String faults = "loss=10%,duplicate=5%,reorder=10%:1ms,delay=10us,clog=1%:1ms,seed=";
    wire(faults + 3);
    send(1000);
    List<Integer> first = List.copyOf(arrived);
    wire.close();
    wire(faults + 3);
    send(1000);
    assertEquals(arrived, first);
    wire.close();
    wire(faults + 4);
    send(1000);
    assertNotEquals(arrived, first);
  }

  @Test
  public void shouldReorderOnlyWhenItIsTold() {
    wire("reorder=10%:100us,delay=10us");
    send(PACKETS);
    assertEquals(arrived.size(), PACKETS);
    assertFalse(isInOrder());
  }

  @Test
  public void shouldHoldEveryPacketForTheDelay() {
    wire("delay=50us");
    assertTrue(wire.sendControl(ByteBuffer.allocate(PACKET_BYTES)));
    nowNs = 49_999;
    assertEquals(wire.progress(), 0);
    nowNs = 50_000;
    assertEquals(wire.progress(), 1);
  }

  @Test
  public void shouldCarryNoMoreThanItsRateAndDropWhatTheQueueCannotHold() {
    wire("rate=1MB,queue=1kB");
    for (int i = 0; i < 100; i++) {
      assertTrue(wire.sendControl(packet(i)));
    }
    nowNs = 1_000_000; // 1000 bytes
    wire.progress();
    assertEquals(arrived.size(), 6); // 146 bytes each with headers
    nowNs = 1_000_000_000;
    wire.progress();
    assertEquals(arrived.size(), 100 - wire.counters().dropped);
    assertEquals(wire.counters().dropped, 93);
  }

  @Test
  public void shouldHandBackTheMemoryOfEveryChunkOnceLostOrNot() {
    wire("loss=50%,duplicate=50%,delay=10us");
    try (TestMemory memory = new TestMemory(64, 0, 0)) {
      for (int i = 0; i < 1000; i++) {
        assertTrue(wire.sendDatagram(ByteBuffer.allocate(4).putInt(0, i), memory, 0, 64, i));
        assertEquals(posted.size(), i, "told from inside the call");
        wire.progress();
        assertEquals((long) posted.get(i), i);
      }
    }
    assertEquals(posted.size(), 1000);
  }

  @Test
  public void shouldPassRemoteWritesLateOrNotAtAll() {
    wire("loss=50%,delay=10us");
    try (TestMemory memory = new TestMemory(64, 0, 0)) {
      for (int i = 0; i < 1000; i++) {
        assertTrue(wire.sendWrite(i, 1, 2, memory, 0, 64, i));
      }
      assertTrue(arrived.isEmpty());
      nowNs = 10_000;
      wire.progress();
      assertEquals(arrived.size() + posted.size(), 1000);
      assertEquals(posted.size(), wire.counters().lost);
    }
  }

  @Test
  public void shouldPassOnUntilWhenARepeatMayLeaveBesidesItsDelayHere() {
    wire("delay=10us");
    nowNs = 5;
    try (TestMemory memory = new TestMemory(4, 0, 0)) {
      assertTrue(wire.sendAgain(1, 1, 2, memory, 0, 4, 1, 75));
      nowNs = 1_000_000;
      wire.progress();
    }
    assertEquals(untilNs, List.of(10_000 + 75L));
  }

  /** The second time with the bytes of the first, whatever lies where they came from. */
  @Test
  public void shouldWriteAgainWhatArrivesTwiceThoughItsMemoryIsReused() {
    wire("duplicate=100%,delay=10us");
    List<Integer> sent = new ArrayList<>();
    try (TestMemory memory = new TestMemory(4, 0, 0);
        NativeMemory payload = NativeMemory.allocate(4)) {
      for (int i = 0; i < 1000; i++) {
        payload.view(0, 4).putInt(0, i);
        memory.copyIn(0, payload.address(), 4);
        assertTrue(wire.sendWrite(i, 1, 2, memory, 0, 4, i));
        sent.add(i);
        nowNs += 1000;
        wire.progress();
        assertEquals(posted.size(), i + 1);
      }
      payload.view(0, 4).putInt(0, -1);
      memory.copyIn(0, payload.address(), 4);
      nowNs += 1_000_000_000;
      wire.progress();
    }
    assertEquals(wire.counters().repeated, 1000);
    assertEquals(arrived.stream().sorted().toList(), twice(sent));
    assertEquals(written, arrived);
    assertEquals(cookies.stream().distinct().toList(), List.of(PacketSender.NOBODYS));
  }

  private static List<Integer> twice(List<Integer> numbers) {
    return numbers.stream().flatMap(number -> Stream.of(number, number)).toList();
  }

  private static ByteBuffer packet(int number) {
    return ByteBuffer.allocate(PACKET_BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, number);
  }

  private boolean isInOrder() {
    return arrived.stream().sorted().toList().equals(arrived);
  }

  private final class Collector implements PacketSender {
    @Override
    public boolean sendControl(ByteBuffer packet) {
      arrived.add(packet.getInt(packet.position()));
      return true;
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      throw new AssertionError("what was held is a packet");
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
        long latestNs) {
      arrived.add(immediate);
      cookies.add(id);
      untilNs.add(latestNs);
      try (NativeMemory payload = NativeMemory.allocate(size)) {
        memory.copyOut(offset, payload.address(), size);
        written.add(payload.view(0, 4).getInt(0));
      }
      return true;
    }
  }
}
