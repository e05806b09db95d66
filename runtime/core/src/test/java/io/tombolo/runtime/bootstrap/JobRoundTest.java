// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostId;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import org.testng.annotations.Test;

/** Which round of a job a process joins, and whom it takes for dead. */
public class JobRoundTest {
  private static final String CHILD_OF_SLEEP =
      "sh -c 'until grep -q sleep /proc/$PPID/comm; do :; done' & echo $!; exec sleep 60";

  private final Deadline deadline = Deadline.after(Duration.ofSeconds(40));

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(600));
  }

  private static void claim(Store store, int rank, RankClaim claim) {
    store.set(JobRound.claimOf(rank), claim.encode());
  }

  private static RankClaim claimOf(String hostId, long pid) {
    RankClaim own = RankClaim.ofThisProcess();
    return new RankClaim(hostId, own.space(), pid, 0, 1);
  }

  private static long deadPid() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    return process.pid();
  }

  @Test(timeOut = 60_000)
  public void shouldStayInTheRoundThatNobodyHasLeft() {
    Store store = new MemoryStore();
    for (int rank = 0; rank < 3; rank++) {
      assertEquals(JobRound.enter(store, rank, deadline), new JobRound(0));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldGoOnWhenARankHasLeft() {
    Store store = new MemoryStore();
    for (int number = 0; number < 3; number++) {
      JobRound round = JobRound.enter(store, 1, deadline);
      assertEquals(round, new JobRound(number));
      JobRound.end(round.in(store));
    }
    assertEquals(JobRound.enter(store, 0, deadline), new JobRound(3));
    assertEquals(JobRound.current(store), new JobRound(3));
  }

  @Test(timeOut = 60_000)
  public void shouldHearOfTheFailureOfTheRoundThatItHasMissed() {
    Store store = new MemoryStore();
    assertEquals(JobRound.enter(store, 0, deadline), new JobRound(0));
    FailureWatch.report(store, 0, "no device");
    assertEquals(JobRound.enter(store, 1, deadline), new JobRound(0));
    assertEquals(JobRound.enter(store, 0, deadline), new JobRound(1));
    assertEquals(JobRound.enter(store, 1, deadline), new JobRound(1));
  }

  @Test(timeOut = 60_000)
  public void shouldNameBothProcessesWhenTheyClaimOneRank() {
    Store store = new MemoryStore();
    claim(store, 1, claimOf(HostId.local(), ProcessHandle.current().pid()));
    MismatchException e =
        expectThrows(MismatchException.class, () -> JobRound.enter(store, 1, deadline));
    assertTrue(e.getMessage().startsWith("two processes say they are rank 1: pid "), e.toString());
    assertTrue(FailureWatch.first(store).orElseThrow().contains("two processes"));
  }

  @Test(timeOut = 60_000)
  public void shouldTakeThePlaceOfAProcessThatIsDead() throws Exception {
    Store store = new MemoryStore();
    claim(store, 1, claimOf(HostId.local(), deadPid()));
    assertEquals(JobRound.enter(store, 1, deadline), new JobRound(1));
    assertTrue(FailureWatch.first(store).orElseThrow().contains("has ended without a word"));
  }

  @Test(timeOut = 60_000)
  public void shouldNotTakeAnotherHostsProcessForDead() throws Exception {
    Store store = new MemoryStore();
    claim(store, 1, claimOf("another", deadPid()));
    expectThrows(MismatchException.class, () -> JobRound.enter(store, 1, soon()));
  }

  /** The shell becomes a sleep, which asks after no child; a shell would, so the child waits. */
  @Test(timeOut = 60_000)
  public void shouldTakeAProcessForDeadThatNobodyAsksAfter() throws Exception {
    Process parent = new ProcessBuilder("sh", "-c", CHILD_OF_SLEEP).start();
    try {
      long pid = Long.parseLong(parent.inputReader().readLine());
      while (!ProcessStat.of(pid).orElseThrow().isDead()) {
        Thread.onSpinWait();
      }
      RankClaim own = RankClaim.ofThisProcess();
      assertTrue(new RankClaim(own.hostId(), own.space(), pid, 0, 1).isGone());
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test(timeOut = 60_000)
  public void shouldTellAProcessFromALaterOneOfItsNumber() {
    RankClaim own = RankClaim.ofThisProcess();
    RankClaim earlier =
        new RankClaim(own.hostId(), own.space(), own.pid(), own.startTicks() - 5_000, 1);
    assertTrue(earlier.isNear() && earlier.isGone());
    assertTrue(own.isNear() && !own.isGone());
    assertEquals(RankClaim.decode(own.encode(), 1), own);
  }
}
