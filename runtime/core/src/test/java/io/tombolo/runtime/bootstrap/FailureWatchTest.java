package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
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
  public void shouldHearOfAFailureAtOnce() throws Exception {
    Store store = new MemoryStore();
    CompletableFuture<String> heard = new CompletableFuture<>();
    try (FailureWatch watch = FailureWatch.start(store, heard::complete)) {
      FailureWatch.report(store, 1, "no device");
      assertEquals(heard.get(2, TimeUnit.SECONDS), "rank 1: no device");
    }
  }

  @Test
  public void shouldTakeTheLossOfTheStoreForAFailure() throws Exception {
    JobToken token = JobToken.random();
    CompletableFuture<String> heard = new CompletableFuture<>();
    TcpStoreServer server = server(token);
    try (FailureWatch watch = FailureWatch.start(connect(server, token), heard::complete)) {
      Thread.sleep(50);
      assertFalse(heard.isDone());
      server.close();
      String text = heard.get(2, TimeUnit.SECONDS);
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
      FailureWatch.start(connect(server, token), heard::complete).close();
      FailureWatch.report(store, "too late");
      Thread.sleep(100);
      assertFalse(heard.isDone());
    }
  }

  private static TcpStoreServer server(JobToken token) {
    return TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
  }

  private static Store connect(TcpStoreServer server, JobToken token) {
    return TcpStore.connect(server.address(), token, Deadline.after(Duration.ofSeconds(5)));
  }
}
