// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.HeldCall;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What every store promises, on every store there is. */
public final class StoreConformanceTest {
  private static final byte[] NOTHING = {};
  private final JobToken token = JobToken.random();
  private final MemoryStore memory = new MemoryStore();
  private TcpStoreServer server;
  private TcpStoreServer foreignServer;
  private final List<Store> opened = new CopyOnWriteArrayList<>();
  private int spaces;

  /** Opens a new connection to one and the same store. */
  interface Opener {
    Store open();
  }

  @BeforeClass
  void hostStores() {
    server =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
    foreignServer = TcpStoreServer.startUnprotected("lo", 0);
  }

  @AfterClass
  void closeStores() {
    opened.forEach(Store::close);
    server.close();
    foreignServer.close();
  }

  @DataProvider
  Object[][] stores() {
    Opener inMemory = () -> memory;
    Opener tcp = () -> TcpStore.connect(server.address(), token, within(5_000));
    Opener plain = () -> TcpStore.connectPlain(foreignServer.address(), within(5_000));
    Opener sealed =
        () ->
            TcpStore.connectForeign(
                foreignServer.address(), token, TcpStore.SILENCE, within(5_000));
    String space = "space-" + spaces++;
    return new Object[][] {
      {"memory", inSpace(inMemory, space)},
      {"tcp", inSpace(tcp, space)},
      {"tcp without handshake", inSpace(plain, space + "-plain")},
      {"sealed over tcp", inSpace(sealed, space + "-sealed")},
      {"a program's own", inSpace(() -> new CallbackStore(new Shelf(memory)), space + "-own")},
      {"lent", inSpace(() -> tcp.open().borrowed(), space + "-lent")},
      {"sealed, lent, a program's own", inSpace(this::sealedShelf, space + "-all")}
    };
  }

  @Test(dataProvider = "stores")
  public void shouldGiveBackWhatWasSet(String name, Opener opener) {
    try (Store store = opener.open()) {
      assertEquals(store.get("k"), Optional.empty());
      store.set("k", bytes("one"));
      assertEquals(store.get("k").orElseThrow(), bytes("one"));
      store.set("k", NOTHING);
      assertEquals(store.get("k").orElseThrow(), NOTHING);
      store.set("schlüssel/鍵", bytes("two"));
      assertEquals(store.get("schlüssel/鍵").orElseThrow(), bytes("two"));
    }
  }

  @Test(dataProvider = "stores", timeOut = 120_000)
  public void shouldGiveWhatWasSetOrNothingWhileAnotherRemovesIt(String name, Opener opener)
      throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Store store = opener.open();
        Store others = opener.open()) {
      Future<?> changes = executor.submit(() -> setAndRemove(others));
      while (!changes.isDone()) {
        store.get("on and off").ifPresent(value -> assertEquals(value, bytes("one")));
      }
      changes.get();
      changes = executor.submit(() -> setAndRemove(others));
      while (!changes.isDone()) {
        assertEquals(store.await("on and off", within(60_000)), bytes("one"));
      }
      changes.get();
    } finally {
      executor.shutdownNow();
    }
  }

  /** In the end it is set. */
  private static void setAndRemove(Store store) {
    for (int i = 0; i < 2000; i++) {
      store.delete("on and off");
      store.set("on and off", bytes("one"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldCountWhenAdding(String name, Opener opener) {
    try (Store store = opener.open()) {
      assertEquals(store.add("n", 5), 5);
      assertEquals(store.add("n", -7), -2);
      assertEquals(store.get("n").orElseThrow(), bytes("-2"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldCountEveryOneWhenManyAddAtOnce(String name, Opener opener) throws Exception {
    int threads = 4;
    int times = 50;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      done.add(executor.submit(() -> addOnes(opener, times)));
    }
    for (Future<?> each : done) {
      each.get();
    }
    executor.shutdown();
    try (Store store = opener.open()) {
      assertEquals(store.add("total", 0), (long) threads * times);
    }
  }

  @Test(dataProvider = "stores")
  public void shouldReplaceOnlyWhatIsExpected(String name, Opener opener) {
    try (Store store = opener.open()) {
      assertEquals(store.compareSet("c", bytes("x"), bytes("y")), bytes("x"));
      assertEquals(store.get("c"), Optional.empty());
      assertEquals(store.compareSet("c", NOTHING, bytes("one")), bytes("one"));
      assertEquals(store.compareSet("c", NOTHING, bytes("two")), bytes("one"));
      assertEquals(store.compareSet("c", bytes("two"), bytes("three")), bytes("one"));
      assertEquals(store.compareSet("c", bytes("one"), bytes("two")), bytes("two"));
      assertEquals(store.get("c").orElseThrow(), bytes("two"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldForgetWhatIsDeleted(String name, Opener opener) {
    try (Store store = opener.open()) {
      store.set("d", bytes("x"));
      assertTrue(store.delete("d"));
      assertFalse(store.delete("d"));
      assertEquals(store.get("d"), Optional.empty());
    }
  }

  @Test(dataProvider = "stores")
  public void shouldGiveValuesInTheOrderOfTheKeysWhenAllAreThere(String name, Opener opener)
      throws Exception {
    try (Store store = opener.open()) {
      store.set("b", bytes("2"));
      HeldCall<List<byte[]>> waiting =
          HeldCall.start(() -> awaitOnItsOwn(opener, "c", "b", "a"))
              .awaitIn(StoreConformanceTest.class, "awaitOnItsOwn");
      store.set("a", bytes("1"));
      store.compareSet("c", NOTHING, bytes("3"));
      List<byte[]> values = waiting.get();
      assertEquals(
          List.of(text(values.get(0)), text(values.get(1)), text(values.get(2))),
          List.of("3", "2", "1"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldNameTheMissingKeysWhenTheDeadlinePasses(String name, Opener opener) {
    try (Store store = opener.open()) {
      store.set("here", bytes("x"));
      DeadlineExceededException e =
          expectThrows(
              DeadlineExceededException.class,
              () -> store.awaitAll(List.of("here", "gone", "lost"), within(40)));
      assertTrue(e.getMessage().contains("/lost' in "), e.getMessage());
      assertTrue(e.getMessage().contains("/gone', '"), e.getMessage());
      assertFalse(e.getMessage().contains("here"), e.getMessage());
      assertTrue(e.getMessage().contains("40 ms"), e.getMessage());
      store.set("gone", bytes("usable"));
      assertEquals(store.await("gone", within(1_000)), bytes("usable"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldKeepPrefixesApart(String name, Opener opener) {
    try (Store store = opener.open()) {
      store.within("p").set("k", bytes("in"));
      assertEquals(store.get("k"), Optional.empty());
      assertEquals(store.get("p/k").orElseThrow(), bytes("in"));
      assertEquals(store.within("p").await("k", within(1_000)), bytes("in"));
    }
  }

  @Test(dataProvider = "stores")
  public void shouldRefuseWhatIsTooLarge(String name, Opener opener) {
    try (Store store = opener.open()) {
      assertThrows(UsageException.class, () -> store.set("big", new byte[Limits.VALUE_BYTES + 1]));
      assertThrows(
          UsageException.class, () -> store.set("k".repeat(Limits.KEY_BYTES + 1), NOTHING));
      byte[] large = new byte[Limits.VALUE_BYTES - 1_000];
      large[large.length - 1] = 7;
      store.set("large", large);
      assertEquals(store.get("large").orElseThrow(), large);
    }
  }

  private Store sealedShelf() {
    return new SealedStore(new CallbackStore(new Shelf(memory)), token).borrowed();
  }

  private static void addOnes(Opener opener, int times) {
    try (Store store = opener.open()) {
      for (int i = 0; i < times; i++) {
        store.add("total", 1);
      }
    }
  }

  private static List<byte[]> awaitOnItsOwn(Opener opener, String... keys) {
    try (Store store = opener.open()) {
      return store.awaitAll(List.of(keys), within(5_000));
    }
  }

  /** Tests do not see each other's keys; connections are closed at the end. */
  private Opener inSpace(Opener opener, String space) {
    return () -> {
      Store store = opener.open();
      opened.add(store);
      return store.within(space);
    };
  }

  private static Deadline within(long ms) {
    return Deadline.after(Duration.ofMillis(ms));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
