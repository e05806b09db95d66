// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.TestMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Two fabrics of this host, between which somebody passes packets on. */
final class RoutedPair implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE = 1 << 20;

  private final CloseStack stack = new CloseStack();
  private final Deadline deadline = Deadline.after(BUDGET);
  private final JobToken token = JobToken.random();
  private final Counting ends = new Counting();
  private final UdpFabric low = open(0);
  private final UdpFabric high = open(1);
  private final TestMemory memory = stack.opened(new TestMemory(SIZE, 0, 0));
  private int messages;
  private UdpChannel dialler;
  private UdpChannel listener;

  /** Passes on what has come. */
  interface Router {
    void progress() throws IOException;
  }

  private UdpFabric open(int rank) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return stack.opened(
        UdpFabric.open(FabricSettings.of(rank, token, HostPinner.none()), UdpOptions.of(bind)));
  }

  /** The fabric that dials. */
  UdpFabric low() {
    return low;
  }

  /** The fabric that is dialled. */
  UdpFabric high() {
    return high;
  }

  /** Lets the one dial the other by {@code address}. */
  void connect(byte[] address) {
    dialler = low.connect(1, address, 1, deadline);
    listener = high.connect(0, low.address(), 1, deadline);
  }

  /** The end that has dialled. */
  UdpChannel dialler() {
    return dialler;
  }

  /** The end that was dialled. */
  UdpChannel listener() {
    return listener;
  }

  /** Starts a message of 1 MiB between the two ends. */
  void send(UdpChannel from, UdpChannel to) {
    assertTrue(from.send(messages, memory, 0, SIZE));
    assertTrue(to.receive(messages, memory, 0, SIZE));
    messages++;
  }

  /** Waits until all messages have come; each router is called after the fabric that it follows. */
  void await(Router afterLow, Router afterHigh) throws IOException {
    while (ends.count < 2 * messages) {
      low.progress();
      afterLow.progress();
      high.progress();
      afterHigh.progress();
      dialler.poll(ends);
      listener.poll(ends);
      assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
    }
  }

  @Override
  public void close() {
    stack.close();
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
