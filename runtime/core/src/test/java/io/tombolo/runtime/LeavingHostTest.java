// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.LeavingTest.assertPrompt;
import static io.tombolo.runtime.LeavingTest.close;
import static io.tombolo.runtime.LeavingTest.requireTold;
import static io.tombolo.runtime.ThreadRanks.LONG;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Ranks that leave a job whose store lives in one of them. */
public final class LeavingHostTest {
  private final JobToken token = JobToken.random();
  private TcpStoreServer server;
  private List<Communicator> both = List.of();

  @BeforeMethod
  public void join() {
    server =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
    both = ThreadRanks.onAll(List.of(0, 1), rank -> Communicator.join(environment(rank)));
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    ThreadRanks.closeAll(both);
    server.close();
  }

  @Test(timeOut = 300_000)
  public void shouldSayAtOnceThatItLeavesAndStayAsLongAsItsStoreIsNeeded() {
    Deadline elapsed = Deadline.after(LONG);
    CompletableFuture<Boolean> closing = ThreadRanks.later(() -> close(both.get(0)));
    // fixed time: longer than others wait
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(1_500));
    assertFalse(closing.isDone());
    assertTrue(requireTold(both.get(1)));
    both.get(1).close();
    assertTrue(closing.join());
    assertPrompt(elapsed);
  }

  /** It would take the store along, though others still need it. */
  @Test(timeOut = 300_000)
  public void shouldStayOnAThreadThatWasInterruptedBefore() {
    CompletableFuture<Boolean> closing =
        ThreadRanks.later(
            () -> {
              Thread.currentThread().interrupt();
              return close(both.get(0)) && Thread.interrupted();
            });
    // fixed time: longer than others wait
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(1_500));
    assertFalse(closing.isDone());
    assertTrue(requireTold(both.get(1)));
    both.get(1).close();
    assertTrue(closing.join(), "the interrupt");
  }

  /** Rank 0 and its store have gone while rank 1, whose agent is busy, still closes what it has. */
  @Test(timeOut = 300_000)
  public void shouldNotMissTheStoreOnceItHasLeft() {
    Session late = both.get(1).session();
    CountDownLatch busy = new CountDownLatch(1);
    CompletableFuture<Boolean> held = ThreadRanks.later(() -> keepBusy(late.agent(), busy));
    assertTrue(Uninterruptibles.awaitUninterruptibly(busy, LONG));
    CompletableFuture<Boolean> closing = ThreadRanks.later(() -> close(both.get(1)));
    both.get(0).close();
    assertFalse(closing.isDone());
    server.close();
    assertTrue(closing.join() && held.join());
    assertEquals(late.everyone().failureState().failure(), Optional.empty());
  }

  /** For less than closing waits for the agent, and more than it takes to miss a store. */
  private static boolean keepBusy(Agent agent, CountDownLatch busy) {
    agent.run(
        () -> {
          busy.countDown();
          // fixed time: what must not be missed would be missed meanwhile
          Uninterruptibles.sleepUninterruptibly(Duration.ofSeconds(4));
        });
    return true;
  }

  /** Of a job whose store ends with rank 0. */
  private JobEnvironment environment(int rank) {
    return new JobEnvironment(
        rank,
        2,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.RANK0,
        token,
        "host",
        LONG,
        ImmutableSortedMap.of());
  }
}
