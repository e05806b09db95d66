// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.Collections2;
import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whom the ranks of a failed communicator agree on, in every order in which they can come. */
public class SurvivorLogTest {
  private static final Duration NEVER_REACHED = Duration.ofHours(1);

  /** What a rank does: it comes, and later its patience ends. */
  private record Move(int rank, boolean isEnd) {}

  @DataProvider
  public Object[][] sizes() {
    return new Object[][] {{1}, {2}, {3}, {4}};
  }

  /**
   * Those of every subset come, in every order of their moves in which each comes before it ends.
   */
  @Test(timeOut = 120_000, dataProvider = "sizes")
  public void shouldAgreeInEveryOrder(int size) {
    int orders = 0;
    for (Set<Integer> living : Sets.powerSet(ContiguousSet.closedOpen(0, size))) {
      List<Move> moves =
          living.stream()
              .flatMap(rank -> Stream.of(new Move(rank, false), new Move(rank, true)))
              .toList();
      for (List<Move> order : Collections2.permutations(moves)) {
        if (living.stream().allMatch(rank -> comesBeforeItEnds(order, rank))) {
          check(size, order);
          orders++;
        }
      }
    }
    assertTrue(orders > 0);
  }

  private static boolean comesBeforeItEnds(List<Move> order, int rank) {
    return order.indexOf(new Move(rank, false)) < order.indexOf(new Move(rank, true));
  }

  private static void check(int size, List<Move> order) {
    Store place = new MemoryStore();
    TreeMap<Integer, SurvivorLog> logs = new TreeMap<>();
    for (Move move : order) {
      SurvivorLog log =
          logs.computeIfAbsent(move.rank(), rank -> new SurvivorLog(place, rank, size));
      if (move.isEnd()) {
        log.close();
      } else {
        log.come();
      }
    }
    Set<Integer> inTime =
        order.stream()
            .takeWhile(move -> !move.isEnd())
            .map(Move::rank)
            .collect(Collectors.toCollection(TreeSet::new));
    logs.forEach((rank, log) -> checkVerdict(log.seen(), rank, size, inTime, order));
  }

  private static void checkVerdict(
      Survivors verdict, int rank, int size, Set<Integer> inTime, List<Move> order) {
    assertTrue(verdict.isClosed(), order.toString());
    assertEquals(verdict.ranks(), new ArrayList<>(inTime), order.toString());
    Class<?> expected = null;
    if (inTime.size() <= size - inTime.size()) {
      expected = NoQuorumException.class;
    } else if (!inTime.contains(rank)) {
      expected = DeadlineExceededException.class;
    }
    if (expected == null) {
      assertEquals(verdict.newRankOf(rank), (int) inTime.stream().filter(r -> r < rank).count());
    } else {
      RuntimeException e =
          expectThrows(RuntimeException.class, () -> assertEquals(verdict.newRankOf(rank), -1));
      assertSame(e.getClass(), expected, order.toString());
    }
  }

  @Test(timeOut = 60_000)
  public void shouldLeaveOutWhoDiedAfterItCame() {
    Survivors survivors =
        Survivors.unknown(3)
            .after(new ShrinkEvent.Came(0))
            .after(new ShrinkEvent.Came(1))
            .after(new ShrinkEvent.Came(2))
            .after(new ShrinkEvent.Gone(1))
            .after(new ShrinkEvent.Closed())
            .after(new ShrinkEvent.Gone(2));
    assertEquals(survivors.ranks(), List.of(0, 2));
    assertEquals(survivors.gone(), ImmutableSortedSet.of(1));
    assertEquals(survivors.newRankOf(2), 1);
  }

  /** Without waiting: one has left, and the process of another is dead. */
  @Test(timeOut = 60_000)
  public void shouldNotWaitForWhoIsGone() throws Exception {
    Store place = new MemoryStore();
    claim(place, 0, ProcessHandle.current().pid());
    claim(place, 1, ProcessHandle.current().pid());
    claim(place, 2, ProcessHandle.current().pid());
    claim(place, 3, deadPid());
    new SurvivorLog(place, 1, 5).come();
    new SurvivorLog(place, 2, 5).come();
    Survivors survivors = SurvivorLog.agree(place, 0, 5, NEVER_REACHED);
    assertEquals(survivors.ranks(), List.of(0, 1, 2));
    assertEquals(survivors.gone(), ImmutableSortedSet.of(3, 4));
  }

  @Test(timeOut = 60_000)
  public void shouldWaitNoLongerThanItMayForWhoLives() throws Exception {
    Store place = new MemoryStore();
    claim(place, 1, ProcessHandle.current().pid());
    Survivors survivors = SurvivorLog.agree(place, 0, 2, Duration.ofMillis(50));
    assertEquals(survivors.ranks(), List.of(0));
    assertEquals(survivors.gone(), ImmutableSortedSet.of());
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseARankThatCallsAgain() {
    Store place = new MemoryStore();
    assertEquals(SurvivorLog.agree(place, 0, 1, NEVER_REACHED).ranks(), List.of(0));
    expectThrows(
        UsageException.class,
        () -> assertEquals(SurvivorLog.agree(place, 0, 1, NEVER_REACHED).ranks(), List.of()));
  }

  @Test
  public void shouldReadWhatItWrites() {
    for (ShrinkEvent event :
        List.of(new ShrinkEvent.Came(3), new ShrinkEvent.Gone(0), new ShrinkEvent.Closed())) {
      assertEquals(ShrinkEvent.decode(event.encode()), event);
    }
    for (String wrong : List.of("", "came", "came x", "gone 1 2", "closed 1")) {
      expectThrows(
          CorruptException.class,
          () -> assertEquals(ShrinkEvent.decode(wrong.getBytes(UTF_8)), null));
    }
  }

  private static void claim(Store place, int rank, long pid) {
    RankClaim own = RankClaim.ofThisProcess();
    RankClaim claim = new RankClaim(own.hostId(), own.space(), pid, 0, 1);
    place.set(JobRound.claimOf(rank), claim.encode());
  }

  private static long deadPid() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    return process.pid();
  }
}
