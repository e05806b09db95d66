// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

public final class FailureWatchTest {

  @Test
  public void shouldKeepTheFirstReport() {
    Store store = new MemoryStore();
    assertEquals(FailureWatch.first(store), Optional.empty());
    assertEquals(FailureWatch.report(store, 2, "no device"), "rank 2: no device");
    assertEquals(FailureWatch.report(store, 0, "rank 2 is gone"), "rank 2: no device");
    assertEquals(FailureWatch.first(store), Optional.of("rank 2: no device"));
  }

  @Test
  public void shouldBelieveWhoKnowsTheCauseMoreThanWhoSawAPeerGo() {
    Store store = new MemoryStore();
    FailureWatch.report(store, 0, new PeerFailedException("rank 2 is gone"));
    assertEquals(FailureWatch.first(store), Optional.of("rank 2 is gone"));
    FailureWatch.report(store, "rank 2 was killed by signal 9 (SIGKILL)");
    FailureWatch.report(store, 1, new PeerFailedException("rank 2 is gone"));
    assertEquals(FailureWatch.first(store), Optional.of("rank 2 was killed by signal 9 (SIGKILL)"));
  }

  @Test(timeOut = 60_000)
  public void shouldTellTheCauseThoughItCameSecond() throws Exception {
    Store store = new MemoryStore();
    CompletableFuture<JobFailure> heard = new CompletableFuture<>();
    FailureWatch.report(store, 0, new PeerFailedException("rank 2 is gone"));
    FailureWatch.report(store, 2, new VendorException("no memory", 2));
    try (FailureWatch watch = FailureWatch.start(store, StoreHost.here(), heard::complete)) {
      TomboloException error = heard.get().toException("rank 1 stops: ");
      assertEquals(error.getMessage(), "rank 1 stops: rank 2: no memory (raw code 2)");
      assertEquals(((VendorException) error).rawCode(), 2);
    }
  }

  @Test
  public void shouldKeepTypeAndAdviceOfWhatEndedTheJob() {
    for (TomboloException cause :
        List.of(
            new MismatchException("it"),
            new PeerFailedException("it"),
            new DeadlineExceededException("it"),
            new AbortedException("it"),
            new NoQuorumException("it"),
            new FabricException("it", -7),
            new VendorException("it", 719),
            new CorruptException("two\nlines"))) {
      TomboloException told = there(JobFailure.of(3, cause)).toException("rank 0 stops: ");
      assertSame(told.getClass(), cause.getClass());
      assertSame(told.advice(), cause.advice());
      assertEquals(told.getMessage(), "rank 0 stops: rank 3: " + cause.getMessage());
    }
    for (RuntimeException cause :
        List.of(new UsageException("it"), new ResourceException("it"), new ArithmeticException())) {
      TomboloException told = there(JobFailure.of(3, cause)).toException("");
      assertFalse(told.advice().communicatorUsable(), "this rank's has ended");
    }
    assertEquals(JobFailure.decode("any words".getBytes(UTF_8)), JobFailure.of("any words"));
  }

  @Test
  public void shouldSayWhetherWhoToldItKnowsWhy() {
    assertFalse(there(JobFailure.of(3, new PeerFailedException("it"))).isFirstHand());
    assertTrue(there(JobFailure.of(3, new MismatchException("it seen"))).isFirstHand());
    assertTrue(there(JobFailure.of("rank 3 was killed")).isFirstHand());
    Store store = new MemoryStore();
    assertFalse(FailureWatch.hasFailure(store));
    FailureWatch.report(store, 0, new PeerFailedException("rank 2 is gone"));
    assertTrue(FailureWatch.hasFailure(store));
    assertFalse(FailureWatch.hasCause(store));
    assertEquals(FailureWatch.awaitCause(store), Optional.empty());
    FailureWatch.report(store, 2, new VendorException("no memory", 2));
    assertTrue(FailureWatch.awaitCause(store).orElseThrow().isFirstHand());
  }

  private static JobFailure there(JobFailure failure) {
    return JobFailure.decode(failure.encode());
  }

  @Test
  public void shouldHearOfAFailureAtOnce() throws Exception {
    Store store = new MemoryStore();
    CompletableFuture<String> heard = new CompletableFuture<>();
    try (FailureWatch watch =
        FailureWatch.start(store, StoreHost.here(), failure -> heard.complete(failure.text()))) {
      FailureWatch.report(store, 1, "no device");
      assertEquals(heard.get(60, TimeUnit.SECONDS), "rank 1: no device");
    }
  }

  @Test
  public void shouldTakeTheLossOfTheStoreForAFailure() throws Exception {
    JobToken token = JobToken.random();
    CompletableFuture<String> heard = new CompletableFuture<>();
    TcpStoreServer server = server(token);
    try (FailureWatch watch =
        FailureWatch.start(
            connect(server, token), StoreHost.here(), failure -> heard.complete(failure.text()))) {
      assertFalse(heard.isDone());
      server.close();
      String text = heard.get(60, TimeUnit.SECONDS);
      assertTrue(text.contains("127.0.0.1:" + server.address().getPort() + " is lost"), text);
      assertTrue(text.contains("launcher"), text);
    }
  }

  @Test
  public void shouldStaySilentOnceClosed() throws Exception {
    JobToken token = JobToken.random();
    CompletableFuture<String> heard = new CompletableFuture<>();
    try (TcpStoreServer server = server(token);
        Store store = connect(server, token)) {
      FailureWatch.start(
              connect(server, token), StoreHost.here(), failure -> heard.complete(failure.text()))
          .close();
      CompletableFuture<String> heardByAnother = new CompletableFuture<>();
      try (FailureWatch another =
          FailureWatch.start(
              connect(server, token),
              StoreHost.here(),
              failure -> heardByAnother.complete(failure.text()))) {
        FailureWatch.report(store, "too late");
        assertEquals(heardByAnother.get(20, TimeUnit.SECONDS), "too late");
      }
      assertFalse(heard.isDone());
    }
  }

  private static TcpStoreServer server(JobToken token) {
    return TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
  }

  private static Store connect(TcpStoreServer server, JobToken token) {
    return TcpStore.connect(server.address(), token, Deadline.after(Duration.ofSeconds(60)));
  }
}
