// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.udp.OldRouter.Way;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Paths that take no packets that may be marked: messages get through, with others. */
public final class UdpOldPathTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE = 1 << 20;

  private final JobToken token = JobToken.random();

  @DataProvider
  public Object[][] paths() {
    return new Object[][] {
      {Set.of(Way.DROPS_TO_LISTENER)},
      {Set.of(Way.DROPS_TO_DIALLER)},
      {Set.of(Way.DROPS_TO_LISTENER, Way.DROPS_TO_DIALLER)},
      {Set.of(Way.CLEARS)}
    };
  }

  @Test(dataProvider = "paths", timeOut = 300_000)
  public void shouldSendNothingThatMayBeMarkedWhereThatDoesNotArrive(Set<Way> ways)
      throws IOException {
    Carried carried = carry(ways);
    assertEquals(carried.lowSays + carried.highSays, 2, "ends that say so");
    boolean drops = !ways.contains(Way.CLEARS);
    assertEquals(carried.dropped > 0, drops);
    assertTrue(
        carried.dropped <= 4, carried.dropped + " dropped: more than words of the handshake");
  }

  @Test(timeOut = 300_000)
  public void shouldLetPacketsBeMarkedWhereTheyArrive() throws IOException {
    assertEquals(carry(Set.of()), new Carried(0, 0, 0));
  }

  private record Carried(long dropped, long lowSays, long highSays) {}

  /** A message each way. */
  private Carried carry(Set<Way> ways) throws IOException {
    try (UdpFabric low = open(0);
        UdpFabric high = open(1);
        OldRouter router = new OldRouter(high, ways);
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      Deadline deadline = Deadline.after(BUDGET);
      UdpChannel dialler = low.connect(1, router.address(), 1, deadline);
      UdpChannel listener = high.connect(0, low.address(), 1, deadline);
      assertTrue(dialler.send(1, memory, 0, SIZE) && listener.receive(1, memory, 0, SIZE));
      assertTrue(listener.send(2, memory, 0, SIZE) && dialler.receive(2, memory, 0, SIZE));
      Counting ends = new Counting();
      while (ends.count < 4) {
        low.progress();
        router.progress();
        high.progress();
        router.progress();
        dialler.poll(ends);
        listener.poll(ends);
        assertFalse(deadline.isExpired(), "nothing came of it within " + BUDGET);
      }
      return new Carried(router.dropped(), low.counters().unmarkable, high.counters().unmarkable);
    }
  }

  private UdpFabric open(int rank) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return UdpFabric.open(FabricSettings.of(rank, token, HostPinner.none()), UdpOptions.of(bind));
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
