// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Processes outnumber cores: an end that seldom has its turn takes its own pauses for nothing else.
 */
public class PausesTest {
  private static final long ONE_WAY_NS = 5_000_000;
  private static final long STEP_NS = 100_000;
  private static final int MESSAGE_BYTES = 16 << 20;
  private static final int ENOUGH_STEPS = 20_000;

  /** 4 KiB at 100 MB/s. */
  private static final long CHUNK_NS = 41_000;

  private static final int MANY_MESSAGES = 8;

  private final SimulatedMemory memory = new SimulatedMemory(MESSAGE_BYTES);
  private final NativeMemory scratch = NativeMemory.allocate(8192);
  private PauseWatch watch;
  private Count count;
  private End from;
  private End to;
  private long nowNs;
  private long calmUntilNs;
  private long chunkNs;
  private long queueNs;
  private int lostFrom;
  private int lostBelow;

  @AfterClass
  public void free() {
    memory.close();
    scratch.close();
  }

  @Test
  public void shouldOpenTheWindowThoughEveryRoundTripContainsAPause() {
    int steps = carry(12_000_000, 8_000_000);
    assertTrue(from.channel.windowChunks() > 1000, from.channel.windowChunks() + " chunks");
    assertTrue(steps < ENOUGH_STEPS / 4, "took " + steps + " steps");
  }

  /** The window has to cover the pauses, though round trips were short before they began. */
  @Test
  public void shouldKeepALinkBusyThoughItSeldomRuns() {
    int steps = carryMuch(Long.MAX_VALUE);
    assertTrue(steps * STEP_NS < 3_000_000_000L, "took " + steps + " steps, 13 000 at best");
  }

  @Test
  public void shouldNotGrowForEverIntoAQueueThatOverflowsBehindThePauses() {
    int steps = carryMuch(40_000_000);
    ProtocolCounters counters = from.channel.counters();
    long percent = counters.resent() * 100 / counters.chunksSent;
    assertTrue(percent < 20, percent + " % of what was sent were repeats");
    assertTrue(steps * STEP_NS < 6_000_000_000L, "took " + steps + " steps, 13 000 at best");
  }

  /** Over a link with a rate and a queue, running calmly at first, then 2 ms of each 40. */
  private int carryMuch(long longestQueueNs) {
    chunkNs = CHUNK_NS;
    queueNs = longestQueueNs;
    calmUntilNs = nowNs + 300_000_000;
    for (int message = 1; message < MANY_MESSAGES; message++) {
      from.channel.send(1, memory, 0, MESSAGE_BYTES);
      to.channel.receive(1, memory, 0, MESSAGE_BYTES);
    }
    return carry(MANY_MESSAGES, 40_000_000, 38_000_000);
  }

  @Test
  public void shouldNotRepeatForEverOnAPathLongerThanTheFirstTimeout() {
    carry(STEP_NS, 0);
    ProtocolCounters counters = from.channel.counters();
    long repeats = counters.resentByTimeout + counters.resentByProbe;
    assertTrue(repeats < 100, repeats + " repeats without a loss");
  }

  /** Where every round comes late, timers that each of them sets anew would never fire. */
  @Test
  public void shouldRepairALostTailThoughItNeverRunsForLong() {
    lostFrom = MESSAGE_BYTES / 4096 - 3;
    lostBelow = MESSAGE_BYTES / 4096;
    carry(3_000_000, 2_900_000);
    assertTrue(from.channel.counters().resent() > 0, "nothing was lost");
  }

  /** A peer that does not answer is given up, however seldom this process runs. */
  @Test
  public void shouldGiveUpADeafPeerThoughItNeverRunsForLong() {
    lostBelow = Integer.MAX_VALUE;
    assertThrows(DeadlineExceededException.class, () -> carry(MANY_MESSAGES, 3_000_000, 2_900_000));
  }

  @BeforeMethod
  public void join() {
    watch = new PauseWatch();
    count = new Count();
    from = new End();
    to = new End();
    ProtocolConfig config = ProtocolConfig.of(Shape.DATAGRAM, 4096);
    from.towards(to, new ReliableChannel(new ChannelId(1, 0, 7), config, from, null, nowNs));
    to.towards(from, new ReliableChannel(new ChannelId(0, 0, 7), config, to, null, nowNs));
    from.channel.send(1, memory, 0, MESSAGE_BYTES);
    to.channel.receive(1, memory, 0, MESSAGE_BYTES);
    calmUntilNs = nowNs;
    chunkNs = 0;
    queueNs = Long.MAX_VALUE;
    lostFrom = 0;
    lostBelow = 0;
  }

  private int carry(long periodNs, long pauseNs) {
    return carry(1, periodNs, pauseNs);
  }

  /** Runs both ends, but in each period not for the first part of it; answers the steps it took. */
  private int carry(int messages, long periodNs, long pauseNs) {
    int steps = 0;
    for (; count.received < messages && steps < messages * ENOUGH_STEPS; steps++) {
      nowNs += STEP_NS;
      if (nowNs < calmUntilNs || nowNs % periodNs >= pauseNs) {
        long pausedNs = watch.runs(nowNs);
        from.run(pausedNs);
        to.run(pausedNs);
      }
    }
    assertEquals(count.received, messages);
    return steps;
  }

  private static final class InFlight {
    private final byte[] bytes;
    private final long dueNs;

    InFlight(byte[] bytes, long dueNs) {
      this.bytes = bytes;
      this.dueNs = dueNs;
    }
  }

  /** One process, and the path towards it. */
  private final class End extends Sink {
    private final ArrayDeque<InFlight> inbox = new ArrayDeque<>();
    private ReliableChannel channel;
    private End peer;
    private long freeNs;
    private int sent;

    void towards(End newPeer, ReliableChannel newChannel) {
      peer = newPeer;
      channel = newChannel;
    }

    void run(long pausedNs) {
      if (pausedNs > 0) {
        channel.onPause(pausedNs, nowNs);
      }
      while (!inbox.isEmpty() && inbox.peek().dueNs <= nowNs) {
        byte[] bytes = inbox.remove().bytes;
        scratch.put(0, bytes, 0, bytes.length);
        channel.onPacket(scratch.view(0, bytes.length), scratch.address(), nowNs);
      }
      channel.poll(nowNs, count);
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      byte[] bytes = new byte[packet.remaining()];
      packet.duplicate().get(bytes);
      return peer.inbox.add(new InFlight(bytes, nowNs + ONE_WAY_NS));
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory source, long offset, int sizeBytes, long cookie) {
      byte[] bytes = new byte[header.remaining() + sizeBytes];
      header.duplicate().get(bytes, 0, header.remaining());
      channel.onPosted(cookie);
      int number = sent++;
      if (freeNs - nowNs > queueNs || (number >= lostFrom && number < lostBelow)) {
        return true; // lost
      }
      freeNs = Math.max(freeNs, nowNs) + chunkNs;
      return peer.inbox.add(new InFlight(bytes, freeNs + ONE_WAY_NS));
    }
  }
}
