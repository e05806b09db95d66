// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import org.testng.annotations.Test;

public final class StoreHostTest {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final String SEEN = "the store at 10.0.0.1:4242 is lost";

  private final RankClaim here = RankClaim.ofThisProcess();
  private final RankClaim ended =
      new RankClaim(here.hostId(), here.space(), here.pid(), here.startTicks() + 1, 1);

  @Test
  public void shouldNameTheRankThatEndedTogetherWithTheStore() {
    StoreHost host = new StoreHost(Optional.of(0), LIMIT);
    Store store = storeOf(ended);
    try (Heartbeat beats = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 17)) {
      host.look(store);
    }
    assertEquals(
        host.whyLost(SEEN),
        "rank 0 (pid %s on host %s, called n0), which hosts the job's store, is lost together with it: its process has ended; the last it said was that it had made 17 calls"
            .formatted(here.pid(), here.hostId()));
  }

  @Test
  public void shouldNotAccuseARankThatLives() {
    StoreHost host = new StoreHost(Optional.of(0), LIMIT);
    host.look(storeOf(here));
    assertEquals(host.whyLost(SEEN), SEEN);
  }

  /** Who is told to end has no use for the answer; some hundred may be told so at a time. */
  @Test
  public void shouldNotLookForARankOnceItIsInterrupted() {
    StoreHost host = new StoreHost(Optional.of(0), LIMIT);
    host.look(storeOf(here));
    Thread.currentThread().interrupt();
    try {
      Deadline deadline = Deadline.after(MissedRank.DYING);
      assertEquals(host.whyLost(SEEN), SEEN);
      assertFalse(deadline.isExpired());
    } finally {
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  public void shouldSayWhatMayBeOfARankElsewhere() {
    StoreHost host = new StoreHost(Optional.of(0), LIMIT);
    host.look(storeOf(new RankClaim("elsewhere", here.space(), 4711, 1, 1)));
    assertEquals(
        host.whyLost(SEEN),
        "rank 0 (pid 4711 on host elsewhere), which hosts the job's store, is lost together with it: it has ended or is stopped, or its host is down, or cut off");
  }

  @Test
  public void shouldSayWhatWasSeenWhereNoRankHostsTheStore() {
    StoreHost host = new StoreHost(Optional.empty(), LIMIT);
    host.look(storeOf(ended));
    assertEquals(host.whyLost(SEEN), SEEN);
  }

  /** Half of it for a look, and the whole for the answer. */
  @Test
  public void shouldLookInTime() {
    assertEquals(new StoreHost(Optional.empty(), LIMIT).round(), Duration.ofSeconds(1));
    assertEquals(StoreHost.here().round(), Duration.ofSeconds(5));
    assertEquals(
        new StoreHost(Optional.empty(), Duration.ofMinutes(1)).round(), Duration.ofSeconds(5));
  }

  private static Store storeOf(RankClaim claim) {
    Store store = new MemoryStore();
    store.set(JobRound.claimOf(0), claim.encode());
    return store;
  }
}
