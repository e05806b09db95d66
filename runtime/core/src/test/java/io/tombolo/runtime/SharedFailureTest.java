// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.Advice;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** How ranks without a launcher learn what has happened to another; they live in one process. */
public class SharedFailureTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final JobToken token = JobToken.random();
  private final List<Session> sessions = new ArrayList<>();
  private TcpStoreServer server;

  @BeforeMethod
  public void host() {
    server =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    sessions.forEach(Session::close);
    sessions.clear();
    server.close();
  }

  private JobEnvironment environment(int rank, int size) {
    return new JobEnvironment(
        rank,
        size,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        LONG,
        ImmutableSortedMap.of());
  }

  private List<Session> join(int size) {
    List<CompletableFuture<Session>> joining =
        IntStream.range(0, size)
            .mapToObj(rank -> environment(rank, size))
            .map(mine -> CompletableFuture.supplyAsync(() -> Session.join(mine), this::onThread))
            .toList();
    joining.forEach(each -> sessions.add(each.join()));
    return sessions;
  }

  private void onThread(Runnable task) {
    Thread thread = new Thread(task, "rank");
    thread.setDaemon(true);
    thread.start();
  }

  private static TomboloException failureOf(Session session) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(60));
    while (session.everyone().failureState().failure().isEmpty() && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
    return session.everyone().failureState().failure().orElseThrow();
  }

  @Test(timeOut = 120_000)
  public void shouldTellAllOfADeathThatOneHasSeen() {
    List<Session> ranks = join(3);
    ranks.get(1).everyone().failureState().fail(new PeerFailedException("rank 2 is gone"));
    TomboloException heard = failureOf(ranks.get(0));
    assertEquals(heard.getMessage(), "rank 0 stops: rank 2 is gone");
    assertSame(heard.advice(), Advice.RESTART);
  }

  @Test(timeOut = 120_000)
  public void shouldEndWithTheSameErrorOnAllRanks() {
    List<Session> ranks = join(3);
    ranks.get(1).everyone().failureState().fail(new MismatchException("counts differ"));
    for (int rank : new int[] {0, 2}) {
      TomboloException heard = failureOf(ranks.get(rank));
      assertSame(heard.getClass(), MismatchException.class);
      assertSame(heard.advice(), Advice.FIX_JOB);
      assertEquals(heard.getMessage(), "rank " + rank + " stops: rank 1: counts differ");
    }
  }

  /** Rank 2 is said to be a process of another host, where nobody can look for it. */
  @Test(timeOut = 120_000)
  public void shouldNameTheProcessOfAnotherHostWhoseConnectionEnded() {
    List<Session> ranks = join(3);
    try (Store store = TcpStore.connect(server.address(), token, Deadline.after(LONG))) {
      store.set(JobRound.claimOf(2), new RankClaim("fa", "pid:[7]", 4711, 1, 1).encode());
    }
    ranks.get(1).everyone().failureState().meet(connectionEnded());
    for (int rank : new int[] {0, 1}) {
      String heard = failureOf(ranks.get(rank)).getMessage();
      assertTrue(heard.contains("rank 2 (pid 4711 on host fa, called "), heard);
      String last =
          "is missed: its connection failed; the last it said was that it had made 0 calls";
      assertTrue(heard.contains(last + "; " + connectionEnded().getMessage()), heard);
    }
  }

  /** It has taken its claim away, and nothing is to be told of its process. */
  @Test(timeOut = 120_000)
  public void shouldTellOfTheConnectionOnlyWhereAProcessHasLeft() {
    List<Session> ranks = join(3);
    try (Store store = TcpStore.connect(server.address(), token, Deadline.after(LONG))) {
      store.delete(JobRound.claimOf(2));
    }
    ranks.get(1).everyone().failureState().meet(connectionEnded());
    String heard = failureOf(ranks.get(1)).getMessage();
    assertTrue(heard.endsWith(connectionEnded().getMessage()), heard);
    assertFalse(heard.contains("(pid "), heard);
  }

  private static PeerFailedException connectionEnded() {
    return new PeerFailedException("rank 1 to rank 2 over tcp: the peer closed its end", 2, null);
  }

  @Test(timeOut = 120_000)
  public void shouldStopJoiningWhenAnotherRankHasFailed() {
    CompletableFuture<Session> joining =
        CompletableFuture.supplyAsync(() -> Session.join(environment(0, 2)), this::onThread);
    try (Store store = TcpStore.connect(server.address(), token, Deadline.after(LONG))) {
      store.await("rendezvous/0", Deadline.after(LONG));
      Deadline elapsed = Deadline.after(LONG);
      FailureWatch.report(store, 1, new UnavailableException("no device; install one"));
      Throwable e = expectThrows(CompletionException.class, joining::join).getCause();
      assertTrue(e instanceof PeerFailedException, e.toString());
      assertEquals(e.getMessage(), "rank 0 stops: rank 1: no device; install one");
      assertTrue(elapsed.elapsedNs() < LONG.toNanos() / 2, elapsed.toString());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldTellOfAFailureWhileAThreadMeetsTheOthers() {
    List<Session> ranks = join(2);
    CompletableFuture<Void> meeting =
        CompletableFuture.runAsync(
            () -> ranks.get(0).everyone().meetings().meet(LONG), this::onThread);
    ranks.get(0).everyone().failureState().fail(new MismatchException("no memory"));
    assertEquals(failureOf(ranks.get(1)).getMessage(), "rank 1 stops: rank 0: no memory");
    Throwable e = expectThrows(CompletionException.class, meeting::join).getCause();
    assertTrue(e.getMessage().endsWith("rank 0: no memory"), e.toString());
  }
}
