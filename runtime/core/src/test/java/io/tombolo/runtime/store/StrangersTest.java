// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** Who is let in, and stays in, while many hold places in the store's host. */
public final class StrangersTest {
  private static final boolean FULL =
      Boolean.getBoolean("tombolo.full") || Boolean.getBoolean("tombolo.deep");

  /** Each takes two descriptors of this process. */
  private static final int STRANGERS = FULL ? 5000 : 600;

  private static final int RANKS = FULL ? 1000 : 16;
  private static final Connections.Limits FEW = new Connections.Limits(2 * RANKS, 128);

  private final JobToken token = JobToken.random();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterMethod(alwaysRun = true)
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    open.clear();
  }

  private TcpStoreServer serve(InetSocketAddress address) {
    TcpStoreServer server = TcpStoreServer.start(address, token, FEW);
    open.add(0, server);
    return server;
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private TcpStore connect(InetSocketAddress address) {
    return TcpStore.connect(address, token, Deadline.after(Duration.ofSeconds(60)));
  }

  /** Most say nothing, some begin, some come so far that they have to prove the token. */
  private SocketChannel stranger(InetSocketAddress address, int number) throws IOException {
    SocketChannel stranger = SocketChannel.open(address);
    byte[] hello = StoreHandshake.hello(JobToken.nonce());
    int said = number % 10 == 1 ? 3 : number % 10 == 2 ? hello.length : 0;
    ByteBuffer out = ByteBuffer.wrap(hello, 0, said);
    while (out.hasRemaining()) {
      stranger.write(out);
    }
    return stranger;
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseNobodyHonestWhileManyStrangersHoldPlaces() throws Exception {
    InetSocketAddress address = serve(loopback(0)).address();
    TcpStore before = connect(address);
    open.add(before);
    List<CompletableFuture<TcpStore>> ranks = new ArrayList<>();
    for (int number = 0; number < STRANGERS; number++) {
      open.add(stranger(address, number));
      if (number % (STRANGERS / RANKS) == 0) {
        ranks.add(CompletableFuture.supplyAsync(() -> connect(address), threads));
      }
    }
    for (CompletableFuture<TcpStore> rank : ranks) {
      TcpStore store = rank.join();
      open.add(store);
      store.add("came", 1);
    }
    assertEquals(before.add("came", 0), ranks.size());
  }

  @Test(timeOut = 120_000)
  public void shouldLetAStrangerTakeItsTimeWhileThereIsRoom() throws Exception {
    InetSocketAddress address = serve(loopback(0)).address();
    byte[] nonce = JobToken.nonce();
    try (Socket slow = new Socket(address.getAddress(), address.getPort())) {
      slow.setSoTimeout(60_000);
      for (int number = 2; number < FEW.strangers(); number++) {
        open.add(stranger(address, 0));
      }
      connect(address).close(); // so the strangers before it are known
      Thread.sleep(6_000); // fixed time: an honest rank on a crowded machine may take as long
      slow.getOutputStream().write(StoreHandshake.hello(nonce));
      assertEquals(
          slow.getInputStream().readNBytes(StoreHandshake.ANSWER_BYTES).length,
          StoreHandshake.ANSWER_BYTES);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldDropThoseFirstWhoHaveSaidNothingForLongest() throws Exception {
    InetSocketAddress address = serve(loopback(0)).address();
    SocketChannel spoke = stranger(address, 1);
    open.add(spoke);
    SocketChannel silent = stranger(address, 0);
    open.add(silent);
    for (int number = 2; number < FEW.strangers(); number++) {
      open.add(stranger(address, 0));
    }
    connect(address).close(); // a stranger too many for a moment
    silent.socket().setSoTimeout(60_000);
    assertEquals(silent.socket().getInputStream().read(), -1);
    spoke.configureBlocking(false);
    assertEquals(spoke.read(ByteBuffer.allocate(1)), 0);
  }

  @Test(timeOut = 120_000)
  public void shouldSayThatItHasAllTheClientsThatItMayHave() {
    InetSocketAddress address = serve(loopback(0)).address();
    List<TcpStore> clients =
        IntStream.range(0, FEW.clients()).mapToObj(i -> connect(address)).toList();
    open.addAll(clients);
    String refusal = expectThrows(ResourceException.class, () -> connect(address)).getMessage();
    assertTrue(refusal.contains("as many clients as it may"), refusal);
    assertFalse(refusal.contains("TOKEN"), refusal);
    clients.get(3).close();
    long number = clients.get(0).add("still", 1); // by then the server has seen it go, or soon
    assertEquals(number, 1);
  }

  /** Answers as a store does until {@code times} have hung up, then gives way to a real one. */
  private void hangUp(ServerSocket listener, int times, boolean knows) throws IOException {
    for (int time = 0; time < times; time++) {
      try (Socket client = listener.accept()) {
        byte[] hello = client.getInputStream().readNBytes(StoreHandshake.HELLO_BYTES);
        if (knows && hello.length == StoreHandshake.HELLO_BYTES) { // else it has given up
          byte[] nonce = StoreHandshake.clientNonce(ByteBuffer.wrap(hello));
          client.getOutputStream().write(StoreHandshake.answer(token, nonce, JobToken.nonce()));
        }
      }
    }
  }

  private void comeBackAfter(int times, boolean knows) throws IOException {
    ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    InetSocketAddress address = loopback(listener.getLocalPort());
    CompletableFuture<TcpStore> client =
        CompletableFuture.supplyAsync(() -> connect(address), threads);
    hangUp(listener, times, knows);
    listener.close();
    serve(address);
    try (TcpStore store = client.join()) {
      assertEquals(store.add("here", 1), 1);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldComeBackWhenTheStoreHasHungUp() throws IOException {
    comeBackAfter(2, false);
    comeBackAfter(9, true);
  }

  /** The host lets the client in where it stands: who hung up and came back would not get in. */
  @Test(timeOut = 120_000)
  public void shouldWaitForAHostThatAnswersLate() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = loopback(listener.getLocalPort());
      CompletableFuture<TcpStore> client =
          CompletableFuture.supplyAsync(() -> connect(address), threads);
      try (Socket slow = listener.accept()) {
        Thread.sleep(6_000); // fixed time: a host that starts many ranks may take as long
        byte[] hello = slow.getInputStream().readNBytes(StoreHandshake.HELLO_BYTES);
        byte[] nonce = StoreHandshake.clientNonce(ByteBuffer.wrap(hello));
        slow.getOutputStream().write(StoreHandshake.answer(token, nonce, JobToken.nonce()));
        int rest = StoreHandshake.PROOF_BYTES + 2 * (1 + Integer.BYTES);
        byte[] words = slow.getInputStream().readNBytes(rest);
        assertEquals(words.length, rest, "it still waits");
        slow.getOutputStream().write(words, rest - Integer.BYTES, Integer.BYTES); // the PING
        client.join().close();
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNotBlameTheTokenWhenTheServerKnowsItAndHangsUp() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Throwable> error =
          CompletableFuture.supplyAsync(
              () ->
                  expectThrows(
                      RuntimeException.class,
                      () ->
                          TcpStore.connect(
                              loopback(busy.getLocalPort()),
                              token,
                              Deadline.after(Duration.ofMillis(300)))),
              threads);
      busy.setSoTimeout(50);
      while (!error.isDone()) {
        try {
          hangUp(busy, 1, true);
        } catch (IOException e) {
          // nobody came meanwhile, or it went
        }
      }
      Throwable e = error.join();
      assertTrue(e instanceof UnavailableException, e.toString());
      assertFalse(e.getMessage().contains("TOMBOLO_TOKEN"), e.getMessage());
    }
  }
}
