// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.TestSeed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Client and server over real sockets, when all does not go well. */
public final class TcpStoreTest {
  private final JobToken token = JobToken.random();
  private TcpStoreServer server;

  @BeforeMethod
  void host() {
    server = TcpStoreServer.start(loopback(0), token);
  }

  @AfterMethod
  void close() {
    server.close();
  }

  @Test
  public void shouldRefuseAServerThatDoesNotKnowTheToken() {
    MismatchException e =
        expectThrows(
            MismatchException.class,
            () -> TcpStore.connect(server.address(), JobToken.random(), soon()));
    assertTrue(e.getMessage().contains("TOMBOLO_TOKEN"), e.getMessage());
  }

  @Test
  public void shouldDropAClientThatGuessesTheProof() throws IOException {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(StoreHandshake.hello(JobToken.nonce()));
      assertEquals(
          socket.getInputStream().readNBytes(StoreHandshake.ANSWER_BYTES).length,
          StoreHandshake.ANSWER_BYTES);
      socket.getOutputStream().write(new byte[StoreHandshake.PROOF_BYTES]);
      assertEquals(socket.getInputStream().read(), -1);
    }
  }

  /** Somebody has seen how a rank proved itself, and says the same, word for word. */
  @Test
  public void shouldDropAClientThatRepeatsAnothersProof() throws IOException {
    byte[] nonce = JobToken.nonce();
    byte[] words;
    try (Socket rank = greet(nonce)) {
      words = proofAndPing(StoreHandshake.clientProof(token, nonce, serverNonce(rank)));
      rank.getOutputStream().write(words);
      assertEquals(rank.getInputStream().readNBytes(Integer.BYTES).length, Integer.BYTES);
    }
    try (Socket other = greet(nonce)) {
      serverNonce(other);
      other.getOutputStream().write(words);
      assertEquals(other.getInputStream().read(), -1);
    }
  }

  private Socket greet(byte[] nonce) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(StoreHandshake.hello(nonce));
    return socket;
  }

  private static byte[] serverNonce(Socket socket) throws IOException {
    byte[] answer = socket.getInputStream().readNBytes(StoreHandshake.ANSWER_BYTES);
    return Arrays.copyOf(answer, JobToken.SIZE_BYTES);
  }

  private static byte[] proofAndPing(byte[] proof) {
    return ByteBuffer.allocate(proof.length + 2 * (1 + Integer.BYTES))
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(proof)
        .put(StoreProtocol.VALIDATE)
        .putInt(StoreProtocol.VALIDATE_MAGIC)
        .put(StoreProtocol.PING)
        .putInt(7)
        .array();
  }

  @Test
  public void shouldTellNothingToAServerThatGuessesTheProof() throws Exception {
    try (ServerSocket impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Store> client =
          CompletableFuture.supplyAsync(
              () -> TcpStore.connect(loopback(impostor.getLocalPort()), token, soon()));
      try (Socket socket = impostor.accept()) {
        socket.setSoTimeout(60_000);
        socket.getInputStream().readNBytes(StoreHandshake.HELLO_BYTES);
        socket.getOutputStream().write(new byte[StoreHandshake.ANSWER_BYTES]);
        assertEquals(socket.getInputStream().read(), -1);
      }
      Throwable e = expectThrows(CompletionException.class, client::join).getCause();
      assertTrue(e instanceof MismatchException, e.toString());
    }
  }

  @Test
  public void shouldDropATorchClientOnTheProtectedPort() {
    MismatchException e =
        expectThrows(
            MismatchException.class, () -> TcpStore.connectPlain(server.address(), soon()));
    assertTrue(e.getMessage().contains("it may ask for a job token"), e.getMessage());
  }

  @Test
  public void shouldSayThatTheStoreHasNoHandshakeWhenItIsTorchs() {
    try (TcpStoreServer torch = TcpStoreServer.startUnprotected("lo", 0)) {
      MismatchException e =
          expectThrows(
              MismatchException.class, () -> TcpStore.connect(torch.address(), token, soon()));
      assertTrue(e.getMessage().contains("TOMBOLO_STORE=torch"), e.getMessage());
    }
  }

  @Test
  public void shouldRefuseAForeignValueThatWasTamperedWith() {
    try (TcpStoreServer torch = TcpStoreServer.startUnprotected("lo", 0);
        Store ours = TcpStore.connectForeign(torch.address(), token, TcpStore.SILENCE, soon());
        Store intruder = TcpStore.connectPlain(torch.address(), soon())) {
      ours.set("k", bytes("value"));
      byte[] sealed = intruder.await("tombolo/k", soon());
      assertEquals(ours.get("k").orElseThrow(), bytes("value"));
      for (int i = 0; i < sealed.length; i++) {
        byte[] changed = sealed.clone();
        changed[i] ^= 1;
        setAndSettle(intruder, "tombolo/k", changed);
        assertThrows(CorruptException.class, () -> ours.get("k"));
      }
      setAndSettle(intruder, "tombolo/moved", sealed);
      CorruptException e = expectThrows(CorruptException.class, () -> ours.await("moved", soon()));
      assertTrue(e.getMessage().startsWith("'moved' in the store at "), e.getMessage());
      setAndSettle(intruder, "tombolo/short", bytes("x"));
      assertThrows(CorruptException.class, () -> ours.get("short"));
      assertThrows(CorruptException.class, () -> ours.add("short", 1));
    }
  }

  @Test
  public void shouldNameAddressAndFixWhenNobodyListens() throws IOException {
    InetSocketAddress free = freeAddress();
    UnavailableException e =
        expectThrows(
            UnavailableException.class,
            () -> TcpStore.connect(free, token, Deadline.after(Duration.ofMillis(120))));
    assertTrue(e.getMessage().contains(":" + free.getPort() + " within 120 ms"), e.getMessage());
    assertTrue(e.getMessage().contains("MASTER_PORT"), e.getMessage());
  }

  @Test
  public void shouldWaitForAServerThatComesLater() throws Exception {
    InetSocketAddress free = freeAddress();
    HeldCall<Store> client =
        HeldCall.start(() -> (Store) TcpStore.connect(free, token, soon()))
            .awaitIn(Introduction.class, "pause");
    try (TcpStoreServer late = TcpStoreServer.start(free, token);
        Store store = client.get()) {
      assertEquals(store.add("n", 1), 1);
    }
  }

  @Test
  public void shouldNameTheStoresAddressWhenItDies() throws Exception {
    try (Store store = TcpStore.connect(server.address(), token, soon())) {
      HeldCall<byte[]> waiting =
          HeldCall.start(() -> store.await("k", soon())).awaitIn(SocketLink.class, "awaitInput");
      server.close();
      Throwable e = expectThrows(ExecutionException.class, waiting::get).getCause();
      assertTrue(e instanceof PeerFailedException, e.toString());
      String where = "the store at 127.0.0.1:" + server.address().getPort() + " is lost";
      assertTrue(e.getMessage().startsWith(where), e.getMessage());
      assertTrue(e.getMessage().contains("wait for 'k'"), e.getMessage());
      assertThrows(PeerFailedException.class, () -> store.get("k"));
    }
  }

  @Test
  public void shouldGiveUpAtTheDeadlineWhenTheServerIsSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      UnavailableException e =
          expectThrows(
              UnavailableException.class,
              () ->
                  TcpStore.connect(
                      loopback(silent.getLocalPort()),
                      token,
                      Deadline.after(Duration.ofMillis(80))));
      assertTrue(e.getMessage().contains("said nothing for 80 ms"), e.getMessage());
    }
  }

  @Test(timeOut = 60_000)
  public void shouldHoldNobodyUpWhileOneThreadWaits() throws Exception {
    try (Store store =
        TcpStore.connect(server.address(), token, Deadline.after(Duration.ofSeconds(10)))) {
      CompletableFuture<byte[]> waiting =
          CompletableFuture.supplyAsync(() -> store.await("k", later()));
      for (int i = 1; i <= 100; i++) {
        assertEquals(store.add("n", 1), i);
      }
      assertFalse(waiting.isDone());
      store.set("k", bytes("v"));
      assertEquals(waiting.get(), bytes("v"));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldLetSeveralThreadsWaitAtOnce() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool(); // the common pool may have one
    try (Store store = TcpStore.connect(server.address(), token, later());
        Store other = TcpStore.connect(server.address(), token, later())) {
      CompletableFuture<byte[]> first =
          CompletableFuture.supplyAsync(() -> store.await("first", later()), threads);
      CompletableFuture<byte[]> second =
          CompletableFuture.supplyAsync(() -> store.await("second", later()), threads);
      CompletableFuture<byte[]> third =
          CompletableFuture.supplyAsync(() -> store.await("third", later()), threads);
      other.set("third", bytes("3"));
      assertEquals(third.get(), bytes("3"));
      other.set("second", bytes("2"));
      assertEquals(second.get(), bytes("2"));
      other.set("first", bytes("1"));
      assertEquals(first.get(), bytes("1"));
    } finally {
      threads.shutdownNow();
    }
  }

  @Test(timeOut = 60_000)
  public void shouldStayUsableThroughInterrupts() throws Exception {
    try (Store store = TcpStore.connect(server.address(), token, later())) {
      Thread.currentThread().interrupt();
      assertThrows(AbortedException.class, () -> store.await("k", later()));
      assertEquals(store.compareSet("k", bytes(""), bytes("v")), bytes("v"));
      assertEquals(store.await("k", later()), bytes("v"), "it is there: nothing to wait for");
      assertEquals(store.add("n", 2), 2);
      assertTrue(Thread.interrupted(), "it stays with the thread");
      assertEquals(store.add("n", 2), 4);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldEndItsWaitsAndNothingElseWhenToldSo() {
    try (Store store = TcpStore.connect(server.address(), token, later())) {
      CompletableFuture<byte[]> waiting =
          CompletableFuture.supplyAsync(() -> store.await("k", later()));
      assertEquals(store.add("n", 1), 1);
      store.endWaits("rank 1 is gone");
      Throwable e = expectThrows(CompletionException.class, waiting::join).getCause();
      assertEquals(e.getMessage(), "no use to wait for 'k': rank 1 is gone");
      assertThrows(PeerFailedException.class, () -> store.await("other", later()));
      assertEquals(store.add("n", 1), 2);
    }
  }

  @Test
  public void shouldReleaseAWaiterWhenItsConnectionIsClosedOrItIsInterrupted() throws Exception {
    Store store = TcpStore.connect(server.address(), token, soon());
    HeldCall<byte[]> waiting =
        HeldCall.start(() -> store.await("k", soon())).awaitIn(SocketLink.class, "awaitInput");
    store.close();
    Throwable e = expectThrows(ExecutionException.class, waiting::get).getCause();
    assertTrue(e instanceof AbortedException, e.toString());
    try (Store other = TcpStore.connect(server.address(), token, soon())) {
      Thread.currentThread().interrupt();
      assertThrows(AbortedException.class, () -> other.await("k", soon()));
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  public void shouldGoOnServingWhenOthersSendGarbage() throws IOException {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    try (Store store = TcpStore.connect(server.address(), token, soon())) {
      for (int i = 0; i < 50; i++) {
        try (Socket socket =
            new Socket(server.address().getAddress(), server.address().getPort())) {
          byte[] garbage = new byte[random.nextInt(300)];
          random.nextBytes(garbage);
          socket.getOutputStream().write(garbage);
          socket.setSoLinger(random.nextBoolean(), 0);
        }
        assertEquals(store.add("n", 1), i + 1, "-Dtombolo.seed=" + seed);
      }
    }
  }

  @Test
  public void shouldDropAClientThatAsksForMoreThanAReplyMayHold() throws IOException {
    try (TcpStoreServer torch = TcpStoreServer.startUnprotected("lo", 0);
        Store store = TcpStore.connectPlain(torch.address(), soon());
        Socket greedy = new Socket(torch.address().getAddress(), torch.address().getPort())) {
      store.set("large", new byte[Limits.VALUE_BYTES]);
      assertEquals(store.get("large").orElseThrow().length, Limits.VALUE_BYTES);
      greedy.setSoTimeout(60_000);
      greedy.getOutputStream().write(new byte[] {0, (byte) 0xCE, (byte) 0xF7, (byte) 0x85, 0x3C});
      ImmutableList<String> keys = ImmutableList.copyOf(Collections.nCopies(100, "/large"));
      greedy.getOutputStream().write(new Request.MultiGet(keys).toBytes());
      assertEquals(greedy.getInputStream().read(), -1);
      assertEquals(store.add("n", 1), 1);
    }
  }

  /** Many small values fill it, or one is more than it has room for. */
  @Test(timeOut = 60_000)
  public void shouldSayThatTheStoreIsFullAndHowMuchItMayHold() {
    saysThatItIsFull(
        store -> {
          for (int i = 0; i < 100; i++) {
            store.set("small-" + i, new byte[1000]);
          }
        });
    saysThatItIsFull(store -> store.set("large", new byte[Limits.VALUE_BYTES]));
  }

  /** A SET has no answer: a later request, a wait here, meets what became of it. */
  private void saysThatItIsFull(Consumer<Store> filling) {
    MemoryBudget budget = new MemoryBudget(64 << 10);
    try (TcpStoreServer small = TcpStoreServer.start(loopback(0), token, budget);
        Store other = TcpStore.connect(small.address(), token, later());
        Store greedy = TcpStore.connect(small.address(), token, later())) {
      other.set("k", bytes("v"));
      assertEquals(greedy.await("k", later()), bytes("v"));
      String full =
          expectThrows(
                  ResourceException.class,
                  () -> {
                    filling.accept(greedy);
                    Object unused = greedy.await("never", later());
                  })
              .getMessage();
      assertTrue(full.startsWith("the store at 127.0.0.1:" + small.address().getPort()), full);
      assertTrue(full.contains("may hold 65536; "), full);
      assertTrue(full.contains("put less into it"), full);
      assertThrows(ResourceException.class, () -> greedy.add("n", 1));
      assertEquals(other.await("k", later()), bytes("v"), "nobody else is dropped");
    }
  }

  /** As when all ranks of a large job read at once what they have in common. */
  @Test(timeOut = 120_000)
  public void shouldHoldOnceWhatManyClientsAreSlowToRead() throws IOException {
    List<Socket> slow = new ArrayList<>();
    try (TcpStoreServer torch = TcpStoreServer.startUnprotected("lo", 0);
        Store store = TcpStore.connectPlain(torch.address(), soon())) {
      store.set("large", new byte[Limits.VALUE_BYTES]);
      assertEquals(store.get("large").orElseThrow().length, Limits.VALUE_BYTES); // it is there
      for (long bytes = 0; bytes < Limits.SERVER_BYTES + (64 << 20); bytes += Limits.VALUE_BYTES) {
        Socket client = new Socket(torch.address().getAddress(), torch.address().getPort());
        slow.add(client);
        client.setSoTimeout(60_000);
        client.getOutputStream().write(new byte[] {0, (byte) 0xCE, (byte) 0xF7, (byte) 0x85, 0x3C});
        client.getOutputStream().write(new Request.Get("/large").toBytes());
      }
      assertEquals(store.add("n", 1), 1);
      for (Socket client : slow) {
        int wanted = Long.BYTES + Limits.VALUE_BYTES;
        assertEquals(client.getInputStream().readNBytes(wanted).length, wanted);
      }
    } finally {
      for (Socket client : slow) {
        client.close();
      }
    }
  }

  @Test
  public void shouldServeEveryOperationThatTorchHas() throws IOException {
    try (TcpStoreServer torch = TcpStoreServer.startUnprotected("lo", 0);
        Peer one = new Peer(torch);
        Peer two = new Peer(torch)) {
      one.send(new Request.MultiSet(ImmutableList.of(new Request.Set("/a", bytes("1")))));
      one.send(new Request.Append("/a", bytes("2")));
      assertEquals(one.ask(new Request.Get("/a")), "0200000000000000" + "3132");
      assertEquals(one.ask(new Request.Check(ImmutableList.of("/a", "/b"))), "01");
      assertEquals(one.ask(new Request.NumKeys()), "0100000000000000");
      assertEquals(
          one.ask(new Request.ListKeys()), "0100000000000000" + "0200000000000000" + "2f61");
      assertEquals(one.ask(new Request.Delete("/a")), "0100000000000000");
      assertEquals(one.ask(new Request.Get("/a")), "0000000000000000");
      assertEquals(one.ask(new Request.QueuePop("/q")), "0000000000000000");
      two.send(new Request.Wait(ImmutableList.of("/q")));
      assertEquals(two.ask(new Request.Ping(7)), "07000000");
      one.send(new Request.QueuePush("/q", bytes("x")));
      assertEquals(two.receive(), "00");
      assertEquals(two.ask(new Request.QueueLength("/q")), "0100000000000000");
      assertEquals(
          two.ask(new Request.QueuePop("/q")), "0100000000000000" + "0100000000000000" + "78");
      one.send(new Request.Barrier("/bar", 2));
      assertEquals(one.ask(new Request.Ping(1)), "01000000");
      assertEquals(two.ask(new Request.Barrier("/bar", 2)), "00");
      assertEquals(one.receive(), "00");
      one.send(new Request.Wait(ImmutableList.of("/never")));
      assertEquals(one.ask(new Request.CancelWait()), "01");
    }
  }

  /** A set has no reply; one that has shows that it has arrived. */
  private static void setAndSettle(Store store, String key, byte[] value) {
    store.set(key, value);
    assertEquals(store.get(key).orElseThrow(), value);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** On a loopback address of this test's own, where no connection of others is given a port. */
  private static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.77"))) {
      return (InetSocketAddress) free.getLocalSocketAddress();
    }
  }

  private static Deadline later() {
    return Deadline.after(Duration.ofSeconds(30));
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
