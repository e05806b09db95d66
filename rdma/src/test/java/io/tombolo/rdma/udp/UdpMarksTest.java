// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.testng.annotations.Test;

/** Marks of routers on real sockets: read from the IP header, told to the sender, answered. */
public final class UdpMarksTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE = 1 << 20;
  private static final int MESSAGES = 20;

  private final JobToken token = JobToken.random();

  @Test
  public void shouldTellTheSenderOfEachMarkAndSlowDown() throws IOException {
    Carried unmarked = carry(0);
    Carried marked = carry(2);
    assertEquals(unmarked.seen, 0);
    assertEquals(unmarked.told, 0);
    assertTrue(marked.seen > 100, "marks seen: " + marked.seen);
    assertEquals(marked.seen, marked.made);
    assertTrue(marked.told >= marked.seen - 256, marked.told + " told of " + marked.seen);
    assertTrue(
        marked.window < unmarked.window / 2,
        "window " + marked.window + " with marks, " + unmarked.window + " without");
  }

  /** What became of marks, and the sender's window at the end. */
  private record Carried(long made, long seen, long told, int window) {}

  private Carried carry(int every) throws IOException {
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        MarkingRouter router = new MarkingRouter(high);
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      UdpChannel from = low.connect(1, router.address(), 1, Deadline.after(BUDGET));
      UdpChannel to = high.connect(0, low.address(), 1, Deadline.after(BUDGET));
      Deadline deadline = Deadline.after(BUDGET);
      Counting ends = new Counting();
      for (int message = 0; message < MESSAGES; message++) {
        assertTrue(from.send(message, memory, 0, SIZE));
        assertTrue(to.receive(message, memory, 0, SIZE));
      }
      while (ends.count < 2 * MESSAGES) {
        low.progress();
        router.progress(from.isOpen() && to.isOpen() ? every : 0);
        high.progress();
        router.progress(0);
        from.poll(ends);
        to.poll(ends);
        assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
      }
      return new Carried(
          router.marked(),
          high.counters().marked,
          from.counters().marks,
          from.protocol().windowChunks());
    }
  }

  private UdpFabric open(int rank) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return UdpFabric.open(
        new FabricSettings(
            rank, token, HostPinner.none(), SlotGeometry.DEFAULT, Ticker.systemTicker()),
        UdpOptions.of(bind));
  }

  private static final class Counting implements Channel.Completions {
    private int count;

    @Override
    public void onSent(long tag, long sizeBytes) {
      count++;
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      count++;
    }
  }
}
