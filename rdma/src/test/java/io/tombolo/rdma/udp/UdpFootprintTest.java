// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import com.sun.management.ThreadMXBean;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.reliable.ChannelId;
import io.tombolo.rdma.reliable.ProtocolConfig;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.testng.annotations.Test;

/** What UDP costs: bounded memory, nothing per message. */
public final class UdpFootprintTest {
  private static final int MAX_IDLE_PEER_BYTES = 16 << 10;
  private static final Duration BUDGET = Duration.ofSeconds(30);
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int WARM_UP = 4000;
  private static final int MESSAGES = 4000;
  private static final int MESSAGE_BYTES = 20_000;

  /** What the JVM itself does on this thread; one object a message would be 64 000. */
  private static final long NOISE_BYTES = 16_384;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  public void shouldTakeNoMoreThan16KiBForAnIdlePeer() {
    UdpOptions options = UdpOptions.of(loopback());
    UdpSizing sizing = UdpSizing.of(SlotGeometry.DEFAULT, options, 8 << 20);
    try (UdpFabric fabric = open(0, JobToken.random())) {
      connection(sizing);
      long before = threads.getCurrentThreadAllocatedBytes();
      UdpConnection connection = connection(sizing);
      long connectionBytes = threads.getCurrentThreadAllocatedBytes() - before;
      Channel channel = fabric.connect(1, fabric.address(), 1, Deadline.after(BUDGET));
      long channelBytes = threads.getCurrentThreadAllocatedBytes() - before - connectionBytes;
      System.out.printf(
          "an idle peer: %d bytes for its connection, at most %d for its channel and its handshake%n",
          connectionBytes, channelBytes);
      assertTrue(connectionBytes <= MAX_IDLE_PEER_BYTES, connectionBytes + " bytes");
      assertTrue(channel != null && !connection.isUnderstood());
    }
  }

  private static UdpConnection connection(UdpSizing sizing) {
    return new UdpConnection(
        new ChannelId(1, 0, 0),
        new UdpPath(UdpAddress.of(loopback()), true),
        null,
        sizing.protocol(sizing.geometry()),
        Optional.empty(),
        Ticker.systemTicker(),
        0);
  }

  @Test
  public void shouldStayWithinTheMemoryItWasGiven() {
    try (UdpFabric fabric = open(0, JobToken.random())) {
      long slabBytes = fabric.counters().slabBytes;
      assertTrue(slabBytes > 1 << 20 && slabBytes <= 8 << 20, slabBytes + " bytes");
    }
  }

  @Test
  public void shouldRefuseMoreThanAProcessMayTake() {
    InetSocketAddress bind = loopback();
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new UdpOptions(
                bind,
                UdpOptions.MAX_SLAB_BYTES + 1,
                1 << 20,
                0,
                BUDGET,
                Optional.empty(),
                ProtocolConfig.Congestion.DELAY));
  }

  @Test
  public void shouldAllocateNothingPerMessageOnRealSockets() {
    JobToken token = JobToken.random();
    try (UdpFabric low = open(0, token);
        UdpFabric high = open(1, token);
        TestMemory memory = new TestMemory(MESSAGE_BYTES, 0, 0)) {
      Deadline deadline = Deadline.after(BUDGET);
      UdpChannel from = low.connect(1, high.address(), 1, deadline);
      UdpChannel to = high.connect(0, low.address(), 1, deadline);
      Count count = new Count();
      exchange(WARM_UP, low, high, from, to, memory, count);
      long before = threads.getCurrentThreadAllocatedBytes();
      long startNs = System.nanoTime();
      exchange(WARM_UP + MESSAGES, low, high, from, to, memory, count);
      long tookNs = System.nanoTime() - startNs;
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      System.out.printf(
          "%d bytes allocated over %d messages, one thread for both ends, %d us each%n",
          bytes, MESSAGES, tookNs / 1000 / MESSAGES);
      assertTrue(bytes < NOISE_BYTES, bytes + " bytes over " + MESSAGES + " messages");
    }
  }

  private static void exchange(
      int until,
      UdpFabric low,
      UdpFabric high,
      UdpChannel from,
      UdpChannel to,
      TestMemory memory,
      Count count) {
    Deadline deadline = Deadline.after(LIMIT);
    while (count.sent < until || count.received < until) {
      assertFalse(deadline.isExpired(), "not done in time");
      if (count.posted < until && count.posted - count.received < 8) {
        count.posted++;
        assertTrue(to.receive(count.posted, memory, 0, MESSAGE_BYTES));
        assertTrue(from.send(count.posted, memory, 0, MESSAGE_BYTES));
      }
      low.progress();
      high.progress();
      from.poll(count);
      to.poll(count);
    }
  }

  private static UdpFabric open(int rank, JobToken token) {
    return UdpFabric.open(
        FabricSettings.of(rank, token, HostPinner.none()), UdpOptions.of(loopback()));
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static final class Count implements Channel.Completions {
    private int posted;
    private int sent;
    private int received;

    @Override
    public void onSent(long tag, long sizeBytes) {
      sent++;
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      received++;
    }
  }
}
