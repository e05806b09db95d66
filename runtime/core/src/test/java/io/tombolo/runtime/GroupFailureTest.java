// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static io.tombolo.runtime.ThreadRanks.assertUsable;
import static io.tombolo.runtime.ThreadRanks.failureOf;
import static io.tombolo.runtime.ThreadRanks.later;
import static io.tombolo.runtime.ThreadRanks.onAll;
import static io.tombolo.runtime.ThreadRanks.split;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.bootstrap.JobFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What a failure of one group does to the others; ranks are threads of one process. */
public class GroupFailureTest {
  private static final int RANKS = 3;

  private ThreadRanks ranks;
  private List<Communicator> joined;

  @BeforeMethod
  public void join() {
    ranks = new ThreadRanks(RANKS);
    joined = ranks.all();
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    ranks.close();
  }

  @Test(timeOut = 60_000)
  public void shouldEndNothingButTheGroupThatFailsAndWhatWasSplitOffIt() {
    List<Communicator> failing = split(joined);
    List<Communicator> sibling = split(joined);
    List<Communicator> child = split(failing);
    failing.get(1).abort();
    for (int rank = 0; rank < RANKS; rank++) {
      assertSame(failureOf(failing.get(rank)).getClass(), AbortedException.class);
      assertTrue(failureOf(child.get(rank)).getMessage().contains("rank 1 aborted"));
    }
    assertUsable(sibling);
    assertUsable(joined);
    assertUsable(split(joined));
    ThreadRanks.closeAll(failing);
    assertUsable(joined);
  }

  /** Programs that outlive many failures would else run out of memory. */
  @Test(timeOut = 60_000)
  public void shouldFreeWhatIsMadeAfterAPartHasFailed() {
    List<Communicator> failing = split(joined);
    failing.get(1).abort();
    failing.forEach(ThreadRanks::failureOf);
    DeviceAdaptor device = joined.get(0).device();
    DeviceMemory memory = device.allocate(16);
    long address = memory.address();
    memory.close();
    assertTrue(device.isTainted());
    assertEquals(device.allocationAt(address, 16), Optional.empty());
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseAtOnceToWaitForTheRanksOfAFailedCommunicator() {
    List<Communicator> failing = split(joined);
    failing.get(1).abort();
    assertEquals(failureOf(failing.get(0)).getClass(), AbortedException.class);
    Deadline elapsed = Deadline.after(LONG);
    AbortedException e = expectThrows(AbortedException.class, () -> closeSplit(failing.get(0)));
    assertTrue(e.getMessage().contains("the communicator has failed"), e.getMessage());
    expectThrows(AbortedException.class, () -> failing.get(0).meet(LONG));
    assertTrue(elapsed.elapsedNs() < LONG.toNanos() / 2, elapsed.toString());
  }

  private static void closeSplit(Communicator communicator) {
    communicator.split(0, 0).ifPresent(Communicator::close);
  }

  @Test(timeOut = 60_000)
  public void shouldEndTheWaitOfASplitWhenItsCommunicatorFails() {
    List<Communicator> failing = split(joined);
    CompletableFuture<Boolean> splitting = later(() -> failing.get(0).split(0, 0).isPresent());
    Deadline elapsed = Deadline.after(LONG);
    failing.get(2).abort();
    Throwable e = expectThrows(CompletionException.class, splitting::join).getCause();
    assertTrue(e.getMessage().contains("rank 2 aborted"), e.toString());
    assertTrue(elapsed.elapsedNs() < LONG.toNanos() / 2, elapsed.toString());
    assertUsable(joined);
  }

  /** Who waits there may free, when the wait ends, what a library still writes to. */
  @Test(timeOut = 60_000)
  public void shouldTaintTheDeviceBeforeWaitsAtTheStoreEnd() {
    Communicator all = joined.get(0);
    List<String> found = new ArrayList<>();
    GroupFailures.hear(
        () -> all.session().groups(),
        JobFailure.of(1, new AbortedException("enough")),
        () -> found.add(all.failure().isPresent() + " " + all.device().isTainted()));
    assertEquals(found, List.of("true true"));
  }

  @Test(timeOut = 60_000)
  public void shouldTakeAPeerThatGoesWithoutAWordForDead() {
    List<Session> sessions = onAll(joined, Communicator::session);
    List<Communicator> group = split(joined);
    sessions.get(0).groups().get(1).failureState().fail(new PeerFailedException("rank 2 hung up"));
    for (int rank = 1; rank < RANKS; rank++) {
      assertTrue(failureOf(group.get(rank)).getMessage().endsWith("rank 2 hung up"));
      assertTrue(failureOf(joined.get(rank)).getMessage().endsWith("rank 2 hung up"));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldTakeAPeerThatGoesForDeadThoughAnotherHasLeft() {
    List<Session> sessions = onAll(joined, Communicator::session);
    List<Communicator> group = split(joined);
    group.get(0).close();
    sessions
        .get(1)
        .groups()
        .get(1)
        .failureState()
        .fail(new PeerFailedException("rank 2 hung up", 2, null));
    for (int rank = 0; rank < RANKS; rank++) {
      assertTrue(failureOf(joined.get(rank)).getMessage().endsWith("rank 2 hung up"));
    }
  }
}
