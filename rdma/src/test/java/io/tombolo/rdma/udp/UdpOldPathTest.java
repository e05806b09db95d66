// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.udp.OldRouter.Way;
import java.io.IOException;
import java.util.Set;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Paths that take no packets that may be marked: messages get through, with others. */
public final class UdpOldPathTest {
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
  private static Carried carry(Set<Way> ways) throws IOException {
    try (RoutedPair pair = new RoutedPair();
        OldRouter router = new OldRouter(pair.high(), ways)) {
      pair.connect(router.address());
      pair.send(pair.dialler(), pair.listener());
      pair.send(pair.listener(), pair.dialler());
      pair.await(router::progress, router::progress);
      return new Carried(
          router.dropped(), pair.low().counters().unmarkable, pair.high().counters().unmarkable);
    }
  }
}
