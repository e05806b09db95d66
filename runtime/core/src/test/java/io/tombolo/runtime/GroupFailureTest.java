// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What a failure of one group does to the others; ranks are threads of one process. */
@Test(timeOut = 120_000)
public class GroupFailureTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int RANKS = 3;

  private final JobToken token = JobToken.random();
  private final List<Communicator> joined = new ArrayList<>();
  private TcpStoreServer server;

  @BeforeMethod
  public void join() {
    server =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
    onAll(IntStream.range(0, RANKS).mapToObj(this::environment).toList(), Communicator::join)
        .forEach(joined::add);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    onAll(
        joined,
        each -> {
          each.close();
          return true;
        });
    joined.clear();
    server.close();
  }

  private JobEnvironment environment(int rank) {
    return new JobEnvironment(
        rank,
        RANKS,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        LONG,
        ImmutableSortedMap.of());
  }

  private static <T> CompletableFuture<T> later(Callable<T> task) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(task.call());
              } catch (Exception e) {
                future.completeExceptionally(e);
              }
            },
            "rank");
    thread.setDaemon(true);
    thread.start();
    return future;
  }

  private static <S, T> List<T> onAll(List<S> ranks, Function<S, T> task) {
    return ranks.stream().map(each -> later(() -> task.apply(each))).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private static List<Communicator> split(List<Communicator> ranks) {
    return onAll(ranks, each -> each.split(0, 0).orElseThrow());
  }

  private static TomboloException failureOf(Communicator communicator) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(20));
    while (communicator.failure().isEmpty() && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
    return communicator.failure().orElseThrow();
  }

  private static void assertUsable(List<Communicator> ranks) {
    onAll(
        ranks,
        each -> {
          each.meet(LONG);
          try (var stream = each.device().newStream()) {
            each.barrier(stream).await(LONG);
          }
          return true;
        });
  }

  @Test
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
    onAll(
        failing,
        each -> {
          each.close();
          return true;
        });
    assertUsable(joined);
  }

  @Test
  public void shouldRefuseAtOnceToWaitForTheRanksOfAFailedCommunicator() {
    List<Communicator> failing = split(joined);
    failing.get(1).abort();
    assertEquals(failureOf(failing.get(0)).getClass(), AbortedException.class);
    Deadline elapsed = Deadline.after(LONG);
    AbortedException e =
        expectThrows(AbortedException.class, () -> split(failing.subList(0, 1), 0));
    assertTrue(e.getMessage().contains("the communicator has failed"), e.getMessage());
    expectThrows(AbortedException.class, () -> failing.get(0).meet(LONG));
    assertTrue(elapsed.elapsedNs() < LONG.toNanos() / 2, elapsed.toString());
  }

  private static void split(List<Communicator> ranks, int colour) {
    ranks.forEach(each -> each.split(colour, 0).ifPresent(Communicator::close));
  }

  @Test
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

  @Test
  public void shouldTakeAPeerThatGoesWithoutAWordForDead() {
    List<Session> sessions = onAll(joined, Communicator::session);
    List<Communicator> group = split(joined);
    sessions.get(0).groups().get(1).failureState().fail(new PeerFailedException("rank 2 hung up"));
    for (int rank = 1; rank < RANKS; rank++) {
      assertTrue(failureOf(group.get(rank)).getMessage().endsWith("rank 2 hung up"));
      assertTrue(failureOf(joined.get(rank)).getMessage().endsWith("rank 2 hung up"));
    }
  }
}
