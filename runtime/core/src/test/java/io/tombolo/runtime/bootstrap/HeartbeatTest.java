// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.Test;

/** Looks follow each other at once here: a look counts, not the time before it. */
public final class HeartbeatTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final RankClaim here = RankClaim.ofThisProcess();
  private final RankClaim ended = new RankClaim(here.hostId(), here.space(), here.pid(), 1, 1);
  private final RankClaim far = new RankClaim("elsewhere", here.space(), here.pid(), 1, 1);

  @Test
  public void shouldReportASilentRankOfAnotherHostWithItsLastProgress() {
    Store store = storeOf(far);
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 3);
        Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n1", () -> 17)) {
      look(one, Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
      one.look();
      assertEquals(
          FailureWatch.first(store).orElseThrow(),
          "rank 1 (pid %s on host elsewhere, called n1) has not been heard of for 4000 ms: it is stopped, or its host is down, or cut off from the store; look at that host, the cable and the switch; the last it said was that it had made 17 calls"
              .formatted(here.pid()));
    }
  }

  @Test
  public void shouldSayByWhichFabricASilentRankIsReached() {
    Store store = storeOf(far);
    ImmutableMap<Integer, String> routes =
        ImmutableMap.of(1, "udp (staged): network", 2, "shm (shared): same host");
    Presence.publish(store, 0, "n0", routes, Optional.of("it has nothing to do with that"));
    try (Heartbeat one = new Heartbeat(store, 0, 3, LIMIT, "n0", () -> 3);
        Heartbeat other = new Heartbeat(store, 1, 3, LIMIT, "n1", () -> 17)) {
      look(one, Silence.MISSED + 1);
      String report = FailureWatch.first(store).orElseThrow();
      assertTrue(
          report.contains(
              "the cable and the switch; rank 0 reaches it over udp (staged): network; the last"),
          report);
    }
  }

  /** As one of its own cluster. */
  @Test
  public void shouldNameNoFabricToASilentRankThatALibraryReaches() {
    Store store = storeOf(far);
    Presence.publish(store, 0, "n0", ImmutableMap.of(2, "udp (staged): network"), Optional.empty());
    try (Heartbeat one = new Heartbeat(store, 0, 3, LIMIT, "n0", () -> 3);
        Heartbeat other = new Heartbeat(store, 1, 3, LIMIT, "n1", () -> 17)) {
      look(one, Silence.MISSED + 1);
      String report = FailureWatch.first(store).orElseThrow();
      assertTrue(report.contains("the cable and the switch; the last"), report);
    }
  }

  @Test
  public void shouldNotReportARankOfThisHostThatIsMerelySlow() {
    Store store = storeOf(here);
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n0", () -> 0)) {
      look(one, 10 * Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
    }
  }

  /** Who knows more of it, such as a launcher, is believed instead. */
  @Test
  public void shouldReportAProcessOfThisHostThatHasEndedAtOnce() {
    Store store = storeOf(ended);
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n1", () -> 17)) {
      one.look();
      assertEquals(
          FailureWatch.first(store).orElseThrow(),
          "rank 1 (pid %s on host %s, called n1) is gone: its process has ended; the last it said was that it had made 17 calls"
              .formatted(here.pid(), here.hostId()));
      assertFalse(FailureWatch.hasCause(store));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldMissAProcessOfThisHostLongBeforeABeatIsDue() throws Exception {
    Process dying = process();
    Store store = storeOf(claim(dying));
    Duration hour = Duration.ofHours(1);
    try (Heartbeat one = new Heartbeat(store, 0, 2, hour, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, hour, "n0", () -> 0)) {
      one.start(e -> {});
      dying.destroyForcibly().waitFor();
      while (FailureWatch.first(store).isEmpty()) {
        LockSupport.parkNanos(1_000_000);
      }
    } finally {
      dying.destroyForcibly();
    }
  }

  @Test(timeOut = 60_000)
  public void shouldNotReportAProcessThatHasLeftAndEnded() throws Exception {
    Process leaving = process();
    Store store = storeOf(claim(leaving));
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n0", () -> 0)) {
      one.look();
      assertTrue(store.delete(JobRound.claimOf(1)));
      leaving.destroyForcibly().waitFor();
      one.glance();
      assertEquals(FailureWatch.first(store), Optional.empty());
    } finally {
      leaving.destroyForcibly();
    }
  }

  @Test
  public void shouldNotReportARankThatHasLeft() {
    Store store = storeOf(far);
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n1", () -> 0)) {
      look(one, Silence.MISSED);
      assertTrue(store.delete("alive/1"));
      look(one, 2 * Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
    }
  }

  /** Rank 1 looked after rank 2, and has left; so has rank 3. */
  @Test
  public void shouldLookAfterTheRankBehindThoseThatHaveLeft() {
    Store store = storeOf(far);
    store.set(JobRound.claimOf(4), far.encode());
    try (Heartbeat one = new Heartbeat(store, 0, 5, LIMIT, "n0", () -> 0);
        Heartbeat leaver = new Heartbeat(store, 1, 5, LIMIT, "n1", () -> 0);
        Heartbeat silent = new Heartbeat(store, 4, 5, LIMIT, "n4", () -> 17)) {
      one.allHaveCome();
      look(one, Silence.MISSED);
      assertTrue(store.delete("alive/1"));
      assertTrue(store.delete(JobRound.claimOf(1)));
      look(one, Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
      one.look();
      String report = FailureWatch.first(store).orElseThrow();
      assertTrue(report.startsWith("rank 4 (pid "), report);
    }
  }

  @Test
  public void shouldReportASilentRankThatCameLater() {
    Store store = new MemoryStore();
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0)) {
      look(one, 2 * Silence.MISSED);
      store.set(JobRound.claimOf(1), far.encode());
      try (Heartbeat other = new Heartbeat(store, 1, 2, LIMIT, "n1", () -> 0)) {
        look(one, Silence.MISSED + 1);
        assertTrue(FailureWatch.first(store).orElseThrow().contains("rank 1 (pid "));
      }
    }
  }

  /** It was stopped between its claim and its first beat. */
  @Test
  public void shouldReportARankThatCameAndNeverBeat() {
    Store store = new MemoryStore();
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0)) {
      look(one, 2 * Silence.MISSED);
      store.set(JobRound.claimOf(1), far.encode());
      look(one, Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
      one.look();
      assertEquals(
          FailureWatch.first(store).orElseThrow(),
          "rank 1 (pid %s on host elsewhere) has not been heard of for 4000 ms: it is stopped, or its host is down, or cut off from the store; look at that host, the cable and the switch; it had just begun to join"
              .formatted(here.pid()));
    }
  }

  /** Nobody else would tell: it has claimed no rank. */
  @Test
  public void shouldReportAProcessOfThisHostThatHasEndedBeforeItCame() {
    Store store = new MemoryStore();
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0)) {
      one.expect(rank -> Optional.of(ended));
      one.look();
      assertEquals(
          FailureWatch.first(store).orElseThrow(),
          "rank 1 (pid %s on host %s) does not come: its process has ended; it had just begun to join"
              .formatted(here.pid(), here.hostId()));
    }
  }

  @Test
  public void shouldWaitForOneThatIsExpectedAsLongAsItIsNotSeenToHaveEnded() {
    for (RankClaim expected : new RankClaim[] {here, far}) {
      Store store = new MemoryStore();
      try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0)) {
        one.expect(rank -> Optional.of(expected));
        look(one, 10 * Silence.MISSED);
        assertEquals(FailureWatch.first(store), Optional.empty());
      }
    }
  }

  @Test
  public void shouldNotReportOneThatHasLeftAndEndedBeforeItWasSeen() {
    Store store = new MemoryStore();
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0)) {
      one.expect(rank -> Optional.of(ended));
      one.allHaveCome();
      look(one, 2 * Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
    }
  }

  @Test
  public void shouldNotReportARankThatIsNotToBeWatched() {
    Store store = storeOf(far);
    try (Heartbeat one = new Heartbeat(store, 0, 2, LIMIT, "n0", () -> 0);
        Heartbeat other = new Heartbeat(store, 1, 2, Duration.ZERO, "n1", () -> 0)) {
      look(one, 10 * Silence.MISSED);
      assertEquals(FailureWatch.first(store), Optional.empty());
    }
  }

  @Test
  public void shouldCountBeatsThatAreMissedInARowOnly() {
    Silence silence = new Silence(PERIOD);
    for (int number = 0; number < 10; number++) {
      for (int look = 0; look < Silence.MISSED; look++) {
        assertFalse(silence.look(beat(number, PERIOD)), "beat " + number + ", look " + look);
      }
    }
    assertTrue(silence.look(beat(9, PERIOD)));
  }

  @Test
  public void shouldGiveARankThatBeatsLessOftenMoreTime() {
    Silence silence = new Silence(PERIOD);
    for (int look = 0; look < 3 * Silence.MISSED; look++) {
      assertFalse(silence.look(beat(1, PERIOD.multipliedBy(3))), "look " + look);
    }
    assertTrue(silence.look(beat(1, PERIOD.multipliedBy(3))));
  }

  @Test
  public void shouldRefuseWhatIsNoBeat() {
    Beat beat = new Beat(7, 2000, 17, "a host");
    assertEquals(Beat.decode(beat.encode(), 1), beat);
    for (String text : new String[] {"", "1 2 3", "x 2 3 host", "1 -2 3 host"}) {
      expectThrows(CorruptException.class, () -> Beat.decode(text.getBytes(UTF_8), 1));
    }
  }

  private static Process process() throws IOException {
    return new ProcessBuilder("sleep", "600").start();
  }

  private RankClaim claim(Process process) {
    long startTicks = ProcessStat.of(process.pid()).orElseThrow().startTicks();
    return new RankClaim(here.hostId(), here.space(), process.pid(), startTicks, 1);
  }

  private static void look(Heartbeat heartbeat, int times) {
    for (int look = 0; look < times; look++) {
      heartbeat.look();
    }
  }

  private static Beat beat(long number, Duration period) {
    return new Beat(number, period.toMillis(), 0, "host");
  }

  /** Where {@code claim} says which process rank 1 is. */
  private static Store storeOf(RankClaim claim) {
    Store store = new MemoryStore();
    store.set(JobRound.claimOf(1), claim.encode());
    return store;
  }
}
