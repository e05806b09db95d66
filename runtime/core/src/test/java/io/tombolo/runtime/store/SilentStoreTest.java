// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.Assert.ThrowingRunnable;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * A store whose process is stopped once somebody has connected: the kernel goes on taking what is
 * sent to it.
 */
public final class SilentStoreTest {
  private static final Duration SILENCE = Duration.ofMillis(400);

  private ServerSocket server;

  /** Held, as the collector closes a socket that nobody holds. */
  private Socket client;

  @BeforeMethod
  void listen() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterMethod(alwaysRun = true)
  void close() throws IOException {
    server.close();
    client.close();
  }

  /** VALIDATE and PING are 5 bytes each; the last 4 come back. */
  private StoreLink open() throws IOException {
    return open(SILENCE);
  }

  private StoreLink open(Duration silence) throws IOException {
    CompletableFuture<Void> introduced = CompletableFuture.runAsync(this::introduce);
    StoreLink link =
        StoreLink.open(
            new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
            Optional.empty(),
            silence,
            soon());
    introduced.join();
    return link;
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }

  private void introduce() {
    try {
      client = server.accept();
      byte[] ping = new DataInputStream(client.getInputStream()).readNBytes(10);
      client.getOutputStream().write(ping, 6, 4);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldBeFoundOutInTimeByWhoWaits() throws Exception {
    try (StoreLink link = open()) {
      Request.Wait key = new Request.Wait(ImmutableList.of("k"));
      Deadline round = Deadline.after(Duration.ofMillis(50));
      checkLost(() -> link.await(key, "wait for 'k'", round, new Waits()));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldBeFoundOutInTimeByWhoAsks() throws Exception {
    try (StoreLink link = open()) {
      checkLost(() -> link.exchange("ping", soon(), io -> io.ask(new Request.Ping(1)).u32()));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldBeAskedForNoLongerThanWhoAsksHasTime() throws Exception {
    try (StoreLink link = open()) {
      Deadline own = Deadline.after(Duration.ofMillis(50));
      DeadlineExceededException e =
          expectThrows(
              DeadlineExceededException.class,
              () -> link.exchange("ping", own, io -> io.ask(new Request.Ping(1)).u32()));
      assertTrue(e.getMessage().endsWith("did not answer within 50 ms: ping"), e.getMessage());
    }
  }

  /** Or one that is busy would lose its connection to whom other threads have kept waiting. */
  @Test(timeOut = 60_000)
  public void shouldHaveItsTimeToAnswerWhoGotATurnLate() throws Exception {
    try (StoreLink link = open()) {
      AtomicLong heldUpNs = new AtomicLong();
      Deadline late = Deadline.after(leaping(heldUpNs), Duration.ofSeconds(60));
      heldUpNs.set(Duration.ofMillis(59_950).toNanos());
      checkLost(() -> link.exchange("ping", late, io -> io.ask(new Request.Ping(1)).u32()));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldHaveAllTheTimeOfAShortRequestThatGotATurnLate() throws Exception {
    try (StoreLink link = open(Duration.ofSeconds(50))) {
      AtomicLong heldUpNs = new AtomicLong();
      Deadline own = Deadline.after(leaping(heldUpNs), Duration.ofSeconds(40));
      int answer =
          link.exchange(
              "ping",
              own,
              io -> {
                heldUpNs.set(Duration.ofSeconds(41).toNanos());
                CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS).execute(this::pong);
                return io.ask(new Request.Ping(1)).u32();
              });
      assertEquals(answer, 1);
    }
  }

  private void pong() {
    try {
      client.getOutputStream().write(new byte[] {1, 0, 0, 0});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Ticker leaping(AtomicLong aheadNs) {
    return new Ticker() {
      @Override
      public long read() {
        return System.nanoTime() + aheadNs.get();
      }
    };
  }

  private static void checkLost(ThrowingRunnable use) {
    Deadline elapsed = Deadline.after(TcpStore.SILENCE);
    PeerFailedException e = expectThrows(PeerFailedException.class, use);
    assertTrue(e.getMessage().contains("is lost (it has said nothing for 400 ms)"), e.getMessage());
    assertTrue(e.getMessage().contains("is stopped, or its host is down"), e.getMessage());
    assertTrue(!elapsed.isExpired(), elapsed.toString());
  }
}
