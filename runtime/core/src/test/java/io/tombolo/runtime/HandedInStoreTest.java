// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Shelf;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Communicators whose ranks, threads of this process, meet in a store of the program's own. */
public class HandedInStoreTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final List<Communicator> joined = new ArrayList<>();
  private MemoryStore values;

  @BeforeMethod
  public void begin() {
    values = new MemoryStore();
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    joined.stream().map(each -> later(each::close)).toList().forEach(CompletableFuture::join);
    joined.clear();
  }

  private static CompletableFuture<Void> later(Runnable task) {
    return CompletableFuture.runAsync(task, HandedInStoreTest::onThread);
  }

  private static void onThread(Runnable task) {
    Thread thread = new Thread(task, "rank");
    thread.setDaemon(true);
    thread.start();
  }

  private static CommunicatorBuilder rank(int rank, int size, Store store) {
    return Communicator.builder()
        .environment(Map.of())
        .rank(rank, size, rank)
        .localSize(size)
        .vendor("host")
        .setting("device", "0")
        .timeout(LONG)
        .store(store);
  }

  private Store shelf() {
    return new CallbackStore(new Shelf(values));
  }

  private List<Communicator> join(List<CommunicatorBuilder> builders) {
    List<Communicator> all =
        builders.stream()
            .map(each -> CompletableFuture.supplyAsync(each::join, HandedInStoreTest::onThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    joined.addAll(all);
    return all;
  }

  private static void assertSums(List<Communicator> ranks) {
    ranks.stream().map(each -> later(() -> sum(each))).toList().forEach(CompletableFuture::join);
  }

  private static void sum(Communicator communicator) {
    try (Stream stream = communicator.device().newStream();
        DeviceMemory memory = communicator.device().allocate(16)) {
      DeviceBuffer buffer =
          DeviceBuffer.foreign(communicator.device(), memory.address(), 4, DataType.F32);
      communicator.allReduce(buffer, Reduction.sum(), stream).await(LONG);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldNeedNeitherALauncherNorATokenNorAnAddress() {
    assertSums(join(IntStream.range(0, 3).mapToObj(rank -> rank(rank, 3, shelf())).toList()));
  }

  @Test(timeOut = 120_000)
  public void shouldJoinSeveralCommunicatorsOfOneProcessInAnyOrder() {
    Store store = shelf();
    List<Communicator> all =
        join(
            List.of(
                rank(1, 2, store).group("rows/0"),
                rank(0, 3, store).group("columns"),
                rank(0, 2, store).group("rows/0"),
                rank(2, 3, store).group("columns"),
                rank(1, 3, store).group("columns")));
    List.of(later(all.get(0)::close), later(all.get(2)::close)).forEach(CompletableFuture::join);
    assertSums(List.of(all.get(1), all.get(3), all.get(4)));
    assertEquals(all.get(0).size(), 2);
  }

  @Test(timeOut = 120_000)
  public void shouldNotTakeAnEarlierGenerationForNews() {
    Store store = values;
    List<Communicator> first = join(List.of(rank(0, 2, store), rank(1, 2, store)));
    first.get(0).abort();
    List<Communicator> second =
        join(List.of(rank(0, 2, store).generation(1), rank(1, 2, store).generation(1)));
    assertSums(second);
  }

  /** As when torchrun starts its ranks again, whose store stays. */
  @Test(timeOut = 120_000)
  public void shouldRemoveWhatTheGenerationBeforeHasLeft() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    Set<String> first = Set.of();
    for (int number = 0; number < 4; number++) {
      List<Communicator> all =
          join(List.of(rank(0, 2, store).generation(number), rank(1, 2, store).generation(number)));
      assertSums(ThreadRanks.split(all));
      Set<String> now = withoutBeats(shelf.keys());
      first = number == 0 ? now : first;
      assertEquals(now.size(), first.size(), first + " became " + now);
      all.get(0).abort();
      ThreadRanks.failureOf(all.get(1));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveTheGenerationBeforeAloneWhileItLives() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    List<Communicator> first =
        join(List.of(rank(0, 2, store).generation(0), rank(1, 2, store).generation(0)));
    Set<String> held = Set.copyOf(shelf.keys());
    assertSums(join(List.of(rank(0, 2, store).generation(1), rank(1, 2, store).generation(1))));
    assertTrue(shelf.keys().containsAll(held), held + " became " + shelf.keys());
    assertSums(ThreadRanks.split(first));
  }

  /** One has left it in order, and the other has not yet. */
  @Test(timeOut = 120_000)
  public void shouldLeaveTheGenerationBeforeToWhoIsInItStill() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    List<Communicator> first =
        join(List.of(rank(0, 2, store).generation(0), rank(1, 2, store).generation(0)));
    first.get(0).close();
    String claim =
        shelf.keys().stream().filter(key -> key.endsWith("claim/1")).findFirst().orElseThrow();
    assertSums(join(List.of(rank(0, 2, store).generation(1), rank(1, 2, store).generation(1))));
    assertTrue(shelf.keys().contains(claim), claim + ": " + shelf.keys());
  }

  /** Earlier ranks are not killed here, and go on to say that they live. */
  private static Set<String> withoutBeats(Set<String> keys) {
    return keys.stream().filter(key -> !key.contains("alive/")).collect(Collectors.toSet());
  }

  @Test(timeOut = 120_000)
  public void shouldJoinAgainAsOftenAsTheRanksLike() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    Set<String> left = Set.of();
    for (int time = 0; time < 5; time++) {
      List<Communicator> all = join(List.of(rank(0, 2, store), rank(1, 2, store)));
      assertSums(all);
      if (time % 2 == 1) {
        all.get(time % 4 / 2).abort();
      }
      leave();
      if (time == 2) {
        left = shelf.keys();
      }
    }
    assertTrue(shelf.keys().size() <= left.size() + 1, left + " became " + shelf.keys());
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveNoKeysOfAGroupBehind() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    List<Communicator> all = join(List.of(rank(0, 2, store), rank(1, 2, store)));
    splitAndLeave(all);
    Set<String> before = shelf.keys();
    splitAndLeave(all);
    splitAndLeave(all);
    Set<String> after = shelf.keys();
    assertEquals(after.size(), before.size(), before + " became " + after);
    leave();
    assertEquals(shelf.keys(), Set.of("left", "token", "groups"));
  }

  /** Barriers, and parts that are left or fail: as many keys after many as after a few. */
  @Test(timeOut = 120_000)
  public void shouldHaveNoMoreKeysTheLongerItWorks() {
    Shelf shelf = new Shelf(values);
    List<Communicator> all =
        join(List.of(rank(0, 2, new CallbackStore(shelf)), rank(1, 2, new CallbackStore(shelf))));
    IntStream.range(0, 20).forEach(time -> meetSplitAndFail(all));
    Set<String> few = shelf.keys();
    IntStream.range(0, 20).forEach(time -> meetSplitAndFail(all));
    assertEquals(shelf.keys().size(), few.size(), few + " became " + shelf.keys());
  }

  private static void meetSplitAndFail(List<Communicator> all) {
    onBoth(all, each -> each.meet(LONG));
    splitAndLeave(all);
    List<Communicator> parts = ThreadRanks.split(all);
    parts.get(0).abort();
    parts.forEach(ThreadRanks::failureOf);
    ThreadRanks.closeAll(parts);
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveNoKeysOfGroupsThatTheirMembersMade() {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    List<Communicator> all = join(List.of(rank(0, 2, store), rank(1, 2, store)));
    Set<String> before = shelf.keys();
    onBoth(all, each -> each.createGroup(List.of(1, 0), "a").close());
    onBoth(all, each -> each.duplicate().close());
    onBoth(all, each -> each.merge(2, "b").close());
    Set<String> after = new TreeSet<>(shelf.keys());
    after.removeAll(before);
    assertEquals(after, Set.of("groups"));
    onBoth(all, each -> failToMakeGroup(each, each.rank() == 0));
    leave();
    assertEquals(shelf.keys(), Set.of("left", "token", "groups", "job/news/0"));
  }

  private static void onBoth(List<Communicator> all, Consumer<Communicator> task) {
    all.stream()
        .map(each -> later(() -> task.accept(each)))
        .toList()
        .forEach(CompletableFuture::join);
  }

  /** All come, and {@code first} has given up by then. */
  private static void failToMakeGroup(Communicator each, boolean first) {
    Session session = each.session();
    RankGroup everyone = session.everyone();
    expectThrows(
        DeadlineExceededException.class,
        () -> {
          Deadline deadline = Deadline.after(first ? Duration.ofMillis(100) : LONG);
          if (!first) { // the failure was told
            Object unused = session.store().await("job/news/0", deadline);
          }
          Object unused = Creation.of(session, everyone, List.of(0, 1), "c", deadline);
        });
  }

  private static void splitAndLeave(List<Communicator> all) {
    all.stream()
        .map(each -> later(() -> each.split(0, 0).orElseThrow().close()))
        .toList()
        .forEach(CompletableFuture::join);
  }

  @Test(timeOut = 120_000)
  public void shouldRemoveWhatAKilledRunHasLeft() throws Exception {
    Shelf shelf = new Shelf(values);
    Store store = new CallbackStore(shelf);
    List<Communicator> first = join(List.of(rank(0, 2, store), rank(1, 2, store)));
    List<Communicator> parts =
        first.stream()
            .map(
                each ->
                    CompletableFuture.supplyAsync(
                        () -> each.split(0, 0).orElseThrow(), HandedInStoreTest::onThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    assertSums(parts);
    for (int rank = 0; rank < 2; rank++) { // as if both were processes that have been killed
      String claim = new String(values.get("claim/" + rank).orElseThrow(), UTF_8);
      values.set("claim/" + rank, claim.replaceAll(" [0-9]+ [0-9-]+$", " 1 1").getBytes(UTF_8));
    }
    List<Communicator> second = join(List.of(rank(0, 2, store), rank(1, 2, store)));
    assertSums(second);
    assertEquals(
        shelf.keys().stream().filter(key -> !key.startsWith("round-1/")).toList(),
        List.of("groups", "job/cause", "job/failure", "job/news/0", "round", "token"));
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhatAnotherWroteOnceATokenIsGiven() {
    values.set("rendezvous/up/1", new byte[100]);
    CommunicatorBuilder sealed = rank(0, 2, values).token(JobToken.random().hex());
    Throwable e = expectThrows(CompletionException.class, () -> join(List.of(sealed))).getCause();
    assertTrue(e instanceof CorruptException, e.toString());
    assertTrue(e.getMessage().contains("rendezvous/up/1"), e.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldAskForAnAddressWhenThereMayBeOtherHosts() {
    CommunicatorBuilder builder = rank(0, 2, shelf()).rank(0, 2, 0);
    Throwable e = expectThrows(CompletionException.class, () -> join(List.of(builder))).getCause();
    assertTrue(e instanceof UsageException, e.toString());
    assertTrue(e.getMessage().startsWith("MASTER_ADDR is not set"), e.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveTheStoreToTheProgram() {
    Communicator alone = join(List.of(rank(0, 1, values))).get(0);
    alone.close();
    values.set("still", new byte[] {1});
    assertEquals(values.await("still", Deadline.after(LONG)), new byte[] {1});
  }
}
