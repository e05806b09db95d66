// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Shelf;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Ranks that close communicators in different orders, one before the others, or never. */
public final class LeavingTest {
  /** What is far from over when a wait for other ranks would be. */
  private static final Duration PROMPT = LONG.dividedBy(2);

  private final List<Communicator> joined = new ArrayList<>();
  private MemoryStore values;
  private Shelf shelf;

  @BeforeMethod
  public void begin() {
    values = new MemoryStore();
    shelf = new Shelf(values);
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    ThreadRanks.closeAll(joined);
    joined.clear();
  }

  /** Ranks with devices of {@code vendors}, in a store that outlives them. */
  private List<Communicator> join(String group, String fabrics, List<String> vendors) {
    return join(group, fabrics, vendors, rank -> shelf);
  }

  /** As the other; each rank reaches the store by what {@code shelves} gives it. */
  private List<Communicator> join(
      String group, String fabrics, List<String> vendors, IntFunction<Shelf> shelves) {
    List<Communicator> all =
        ThreadRanks.onAll(
            IntStream.range(0, vendors.size()).boxed().toList(),
            rank ->
                Communicator.builder()
                    .environment(Map.of())
                    .rank(rank, vendors.size(), rank)
                    .localSize(vendors.size())
                    .vendor(vendors.get(rank))
                    .setting("device", "0")
                    .setting("fabrics", fabrics)
                    .setting("liveness_ms", "5000")
                    .timeout(LONG)
                    .store(new CallbackStore(shelves.apply(rank)))
                    .group(group)
                    .join());
    joined.addAll(all);
    return all;
  }

  private List<Communicator> join(String group) {
    return join(group, "shm,tcp", List.of("host", "host"));
  }

  private List<String> keysOfGroups() {
    return shelf.keys().stream().filter(key -> key.contains("group-")).toList();
  }

  private static void closeInOtherOrders(List<Communicator> first, List<Communicator> second) {
    Deadline elapsed = Deadline.after(LONG);
    CompletableFuture<Boolean> other =
        ThreadRanks.later(() -> close(second.get(1)) && close(first.get(1)));
    assertTrue(close(first.get(0)) && close(second.get(0)) && other.join());
    assertPrompt(elapsed);
  }

  static boolean close(Communicator communicator) {
    communicator.close();
    return true;
  }

  static void assertPrompt(Deadline elapsed) {
    assertTrue(elapsed.elapsedNs() < PROMPT.toNanos(), elapsed.elapsedNs() + " ns");
  }

  @Test(timeOut = 300_000)
  public void shouldCloseJobsInOtherOrders() {
    List<Communicator> first = join("first");
    List<Communicator> second = join("second");
    ThreadRanks.assertUsable(first);
    ThreadRanks.assertUsable(second);
    closeInOtherOrders(first, second);
    assertEquals(keysOfGroups(), List.of());
  }

  @Test(timeOut = 300_000)
  public void shouldClosePartsInOtherOrders() {
    List<Communicator> all = join("all");
    List<String> before = keysOfGroups();
    List<Communicator> first = ThreadRanks.split(all);
    List<Communicator> second = ThreadRanks.split(all);
    ThreadRanks.assertUsable(first);
    ThreadRanks.assertUsable(second);
    closeInOtherOrders(first, second);
    ThreadRanks.assertUsable(all);
    List<String> after = new ArrayList<>(keysOfGroups());
    after.removeAll(before);
    assertTrue(after.stream().noneMatch(key -> key.matches("(.*/)?group-[12]/.*")), after + "");
  }

  /**
   * What has gone in order is no death; who finds no word of one tells it to all a second later.
   */
  @Test(timeOut = 300_000)
  public void shouldNotWaitForWhoGoesOnAndTellItWhoHasGone() {
    List<Communicator> all = join("all");
    for (int round = 0; round < 3; round++) { // who is first to hear of the failure is chance
      leaveTheOtherIn(ThreadRanks.split(all));
    }
    assertTrue(keysOfGroups().stream().noneMatch(key -> key.matches("(.*/)?group-[1-3]/.*")));
    // fixed time: what must not be told would be told after a second
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(1_500));
    assertEquals(all.get(1).failure(), Optional.empty());
    ThreadRanks.assertUsable(all);
  }

  /** The last to leave removes what those before have left. */
  private static void leaveTheOtherIn(List<Communicator> parts) {
    ThreadRanks.assertUsable(parts);
    Deadline elapsed = Deadline.after(LONG);
    parts.get(0).close();
    assertTrue(requireTold(parts.get(1)));
    parts.get(1).close();
    assertPrompt(elapsed);
  }

  /** A further call of {@code late} is told that rank 0 has left. */
  static boolean requireTold(Communicator late) {
    try (Stream stream = late.device().newStream()) {
      Work work = late.barrier(stream);
      String why = expectThrows(PeerFailedException.class, () -> work.await(LONG)).getMessage();
      assertTrue(why.contains("rank 0 has closed this communicator"), why);
    }
    return true;
  }

  /** It may be why that one has left. */
  @Test(timeOut = 300_000)
  public void shouldSayWhatOneWhoLeftHadMet() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    parts.get(0).abort();
    parts.forEach(Communicator::close);
    all.get(0).close();
    try (Stream stream = all.get(1).device().newStream()) {
      Work work = all.get(1).barrier(stream);
      String why = expectThrows(PeerFailedException.class, () -> work.await(LONG)).getMessage();
      assertTrue(why.contains("takes part in nothing more, after it had met: "), why);
    }
    all.get(1).close();
    assertEquals(keysOfGroups(), List.of());
  }

  /**
   * What was split off a part fails with it. Rank 0 has left the part, hears nothing of that, and
   * would take the end of rank 1, which only hears of it, for a death.
   */
  @Test(timeOut = 300_000)
  public void shouldTellWhoHasLeftAPartWhatFailsWithIt() {
    List<Communicator> all = join("all", "shm", List.of("host", "host", "host"));
    List<Communicator> parts = ThreadRanks.split(all);
    List<Communicator> inner =
        ThreadRanks.onAll(parts.subList(0, 2), part -> part.createGroup(List.of(0, 1), "inner"));
    ThreadRanks.assertUsable(inner);
    parts.get(0).close();
    assertTrue(requireTold(parts.get(2)));
    String why = ThreadRanks.failureOf(inner.get(0)).getMessage();
    assertTrue(why.contains("rank 0 has closed this communicator"), why);
    ThreadRanks.failureOf(inner.get(1));
    inner.get(1).close();
    // fixed time: what must not be told would be told after a second
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(1_500));
    assertEquals(all.get(1).failure(), Optional.empty());
    ThreadRanks.assertUsable(all);
  }

  /** It lives in what the part was split off, and need not wait until others tell. */
  @Test(timeOut = 300_000)
  public void shouldFailWhatWasSplitOffAPartThatIsClosed() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    List<Communicator> inner = ThreadRanks.split(parts);
    ThreadRanks.closeAll(parts);
    ThreadRanks.assertUsable(inner);
    AbortedException cause = new AbortedException("a test aborts");
    all.get(0).session().everyone().failureState().fail(cause);
    assertSame(inner.get(0).failure().orElseThrow(), cause);
  }

  /** The last one has removed what says that the peer has left in order. */
  @Test(timeOut = 300_000)
  public void shouldNotLetAPeerThatHasGoneEndWhatIsClosed() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    Session session = all.get(1).session();
    RankGroup part = session.groups().get(1);
    parts.forEach(Communicator::close);
    new LossInquiry(session, part.id(), part.members())
        .judge(part, new PeerFailedException("rank 0 hung up", 0, null));
    // fixed time: longer than it may ask
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(3_500));
    assertEquals(part.failureState().failure(), Optional.empty());
  }

  /** Who counts itself twice passes for the other rank, and goes without a word for that. */
  @Test(timeOut = 300_000)
  public void shouldCloseAPartAndTheWholeAtOnce() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    RankGroup group = all.get(0).session().groups().get(1);
    CompletableFuture<Boolean> told = ThreadRanks.later(() -> requireTold(parts.get(1)));
    CompletableFuture<Boolean> part = ThreadRanks.later(() -> close(parts.get(0)));
    while (!group.isShut()) {
      Thread.onSpinWait();
    }
    all.get(0).close();
    assertTrue(part.join() && told.join());
    parts.get(1).close();
    all.get(1).close();
    assertEquals(keysOfGroups(), List.of());
  }

  /** What it holds would stay, and what it threw would hide the cause of the interrupt. */
  @Test(timeOut = 300_000)
  public void shouldCloseAPartOnAnInterruptedThread() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    ThreadRanks.assertUsable(parts);
    boolean wasKept =
        ThreadRanks.later(
                () -> {
                  Thread.currentThread().interrupt();
                  return close(parts.get(0)) && Thread.interrupted();
                })
            .join();
    assertTrue(wasKept, "the interrupt");
    assertTrue(requireTold(parts.get(1)));
    parts.get(1).close();
    assertTrue(keysOfGroups().stream().noneMatch(key -> key.matches("(.*/)?group-1/.*")));
    ThreadRanks.assertUsable(all);
  }

  /** It never counts itself among those that have left. */
  @Test(timeOut = 300_000)
  public void shouldKeepNothingForOneThatHasDied() {
    List<Communicator> all = join("all", "shm", List.of("host", "host", "host"));
    List<Communicator> parts = ThreadRanks.split(all);
    parts.get(0).close();
    all.get(0).close();
    assertTrue(keysOfGroups().stream().anyMatch(LeavingTest::isOfALeaver));
    RankGroup survivors = all.get(1).session().everyone();
    survivors.failureState().fail(new PeerFailedException("rank 2 hung up", 2, null));
    all.get(1).close();
    assertEquals(keysOfGroups().stream().filter(LeavingTest::isOfALeaver).toList(), List.of());
  }

  private static boolean isOfALeaver(String key) {
    return key.matches("(.*/)?group-[01]/(leaving|leave/.*|all-leave|has-rest|rest/.*|left/.*)");
  }

  /** Whose process has the store waits for nobody once all have said that they leave. */
  @Test(timeOut = 300_000)
  public void shouldNotMissTheStoreOnceItHasSaidThatItLeaves() {
    FallingShelf falling = new FallingShelf(values);
    List<Communicator> all =
        join("all", "shm", List.of("host", "host"), rank -> rank == 1 ? falling : shelf);
    CompletableFuture<Boolean> closing = ThreadRanks.later(() -> close(all.get(1)));
    Deadline deadline = Deadline.after(LONG);
    while (falling.keys().stream().noneMatch(key -> key.endsWith("group-0/leave/0-0"))) {
      assertFalse(deadline.isExpired());
      Thread.onSpinWait();
    }
    // fixed time: it looks for the others by then, for a second
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(200));
    falling.isDown = true;
    // fixed time: what must not be missed would be missed meanwhile
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(1_500));
    falling.lastLook.countDown();
    assertTrue(closing.join());
    assertEquals(all.get(1).failure(), Optional.empty());
  }

  /** One that falls down for a rank, of which who looks for the others' leave hears last. */
  private static final class FallingShelf extends Shelf {
    private final CountDownLatch lastLook = new CountDownLatch(1);
    private volatile boolean isDown;

    FallingShelf(MemoryStore values) {
      super(values);
    }

    private void requireUp() {
      if (isDown) {
        throw new IllegalStateException("it is down");
      }
    }

    @Override
    public Optional<byte[]> get(String key) {
      if (isDown && key.endsWith("group-0/all-leave")) {
        Uninterruptibles.awaitUninterruptibly(lastLook);
      }
      requireUp();
      return super.get(key);
    }

    @Override
    public void set(String key, byte[] value) {
      requireUp();
      super.set(key, value);
    }

    @Override
    public long add(String key, long delta) {
      requireUp();
      return super.add(key, delta);
    }

    @Override
    public byte[] compareSet(String key, byte[] expected, byte[] desired) {
      requireUp();
      return super.compareSet(key, expected, desired);
    }

    @Override
    public boolean delete(String key) {
      requireUp();
      return super.delete(key);
    }
  }

  /** To remove many keys may take longer than a rank may be silent, while others go on. */
  @Test(timeOut = 300_000)
  public void shouldShowThatItLivesUntilItsKeysAreRemoved() {
    SlowShelf slow = new SlowShelf(values);
    List<Communicator> all = join("all", "shm", List.of("host", "host"), rank -> slow);
    slow.isWatched = true;
    all.get(0).close();
    assertTrue(slow.hasBeaten, "it removes keys, and is silent");
    assertEquals(all.get(1).failure(), Optional.empty());
  }

  /** Where who removes the keys of the whole does so for as long as it takes to beat. */
  private static final class SlowShelf extends Shelf {
    private final Set<String> beats = ConcurrentHashMap.newKeySet();
    private volatile boolean isWatched;
    private volatile boolean hasBeaten;

    SlowShelf(MemoryStore values) {
      super(values);
    }

    @Override
    public void set(String key, byte[] value) {
      if (key.endsWith("alive/0")) {
        beats.add(new String(value, UTF_8));
      }
      super.set(key, value);
    }

    @Override
    public long add(String key, long delta) {
      if (isWatched && key.endsWith("group-0/left/0-0")) {
        isWatched = false;
        int before = beats.size();
        Deadline patience = Deadline.after(Duration.ofSeconds(20));
        while (beats.size() == before && !patience.isExpired()) {
          Thread.onSpinWait();
        }
        hasBeaten = beats.size() > before;
      }
      return super.add(key, delta);
    }
  }

  /** If the call ended before this rank went, nobody would hear of that. */
  @Test(timeOut = 300_000)
  public void shouldSayAtOnceThatAPartEndsWithCallsUnderWay() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    LongCell word = all.get(0).device().newWords(1).get(0);
    CompletableFuture<Boolean> closing;
    try (Stream held = all.get(0).device().newStream();
        Stream free = all.get(1).device().newStream()) {
      all.get(0).device().waitValueAsync(held, word.address(), 1);
      Work cut = parts.get(0).barrier(held);
      Work other = parts.get(1).barrier(free);
      closing = ThreadRanks.later(() -> close(all.get(0)));
      // a call that ends by itself would hide what closing does to it
      String why = ThreadRanks.failureOf(parts.get(1)).getMessage();
      assertTrue(why.contains("rank 0"), why);
      word.setRelease(1);
      for (Work work : List.of(cut, other)) {
        assertThrows(AbortedException.class, () -> work.await(LONG));
      }
    }
    assertTrue(closing.join());
  }

  /** It is told through what closing takes along; who hears of nothing takes it for a death. */
  @Test(timeOut = 300_000)
  public void shouldLeaveTheWholeOnlyWhenThePartsFailureIsTold() {
    List<Communicator> all = join("all");
    List<Communicator> parts = ThreadRanks.split(all);
    FailureState part = all.get(0).session().groups().get(1).failureState();
    CountDownLatch telling = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    part.onFailure(
        cause -> {
          telling.countDown();
          Uninterruptibles.awaitUninterruptibly(told);
        });
    CompletableFuture<Boolean> abort = ThreadRanks.later(() -> abort(parts.get(0)));
    assertTrue(Uninterruptibles.awaitUninterruptibly(telling, LONG));
    CompletableFuture<Boolean> closing = ThreadRanks.later(() -> close(all.get(0)));
    // fixed time: it would be closed by then
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(2_500));
    assertFalse(closing.isDone());
    told.countDown();
    assertTrue(closing.join() && abort.join());
    assertEquals(all.get(1).failure(), Optional.empty());
  }

  private static boolean abort(Communicator communicator) {
    communicator.abort();
    return true;
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Object[][] {{"shm"}, {"tcp"}};
  }

  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldReceiveWhatOneHasSentThatHasLeft(String fabric) {
    List<Communicator> both = join("all", fabric, List.of("host", "host"));
    Deadline elapsed = Deadline.after(LONG);
    try (DeviceVector first = DeviceVector.of(both.get(0), 1, 2, 3);
        DeviceVector second = DeviceVector.of(both.get(0), 4)) {
      exchange(both.get(0), first, Message.send(first.buffer(), 1));
      exchange(both.get(0), second, Message.send(second.buffer(), 1));
      exchange(both.get(0), second, Message.send(second.buffer(), 1).tagged(5));
      both.get(0).close();
    }
    assertPrompt(elapsed);
    try (DeviceVector first = DeviceVector.of(both.get(1), 0, 0, 0);
        DeviceVector second = DeviceVector.of(both.get(1), 0);
        DeviceVector third = DeviceVector.of(both.get(1), 0)) {
      exchange(both.get(1), third, Message.receive(third.buffer(), 0).tagged(5));
      exchange(both.get(1), first, Message.receive(first.buffer(), 0));
      exchange(both.get(1), second, Message.receive(second.buffer(), 0));
      assertEquals(first.floats(), new float[] {1, 2, 3});
      assertEquals(second.floats(), new float[] {4});
      assertEquals(third.floats(), new float[] {4});
    }
    both.get(1).close();
    assertEquals(keysOfGroups(), List.of());
  }

  private static Work exchange(Communicator all, DeviceVector vector, Message message) {
    Work work = all.exchange(List.of(message), CallOptions.STANDARD, vector.stream());
    work.await(LONG);
    return work;
  }

  @Test(timeOut = 300_000)
  public void shouldReceiveFromAnyWhoIsThere() {
    List<Communicator> all = join("all", "shm", List.of("host", "host", "host"));
    Communicator receiver = all.get(2);
    sendAndLeave(all.get(0), 7);
    try (DeviceVector got = DeviceVector.of(receiver, 0);
        DeviceVector more = DeviceVector.of(receiver, 0)) {
      Work first = exchange(receiver, got, Message.receiveFromAny(got.buffer()));
      assertEquals(first.source(), OptionalInt.of(0));
      assertEquals(got.floats(), new float[] {7});
      Work second =
          receiver.exchange(
              List.of(Message.receiveFromAny(more.buffer())), CallOptions.STANDARD, more.stream());
      Deadline moment = Deadline.after(Duration.ofMillis(500)); // in which it sees who has gone
      while (receiver.failure().isEmpty() && !moment.isExpired()) {
        Thread.onSpinWait();
      }
      sendAndLeave(all.get(1), 8);
      second.await(LONG);
      assertEquals(more.floats(), new float[] {8});
    }
  }

  private static void sendAndLeave(Communicator rank, float value) {
    try (DeviceVector vector = DeviceVector.of(rank, value)) {
      exchange(rank, vector, Message.send(vector.buffer(), 2));
    }
    rank.close();
  }

  /**
   * All have called, and one has ended and left before the other's stream comes to the call; it
   * takes no part in the one after that.
   */
  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldEndACallThatOneHasEndedWhoHasLeft(String fabric) {
    List<Communicator> both = join("all", fabric, List.of("host", "emu-nvidia"));
    Communicator late = both.get(1);
    LongCell word = late.device().newWords(1).get(0);
    DeviceVector given = DeviceVector.of(both.get(0), 5, 6);
    DeviceVector got = DeviceVector.of(late, 0, 0);
    for (int i = 0; i < 2; i++) { // the first calls register memory, which waits for held streams
      Work early = late.broadcast(got.buffer(), 0, got.stream());
      both.get(0).broadcast(given.buffer(), 0, given.stream()).await(LONG);
      early.await(LONG);
    }
    got.put(new float[2]);
    late.device().waitValueAsync(got.stream(), word.address(), 1);
    Work work = late.broadcast(got.buffer(), 0, got.stream());
    both.get(0).broadcast(given.buffer(), 0, given.stream()).await(LONG);
    given.close();
    both.get(0).close();
    Work further = late.broadcast(got.buffer(), 0, got.stream());
    // fixed time: a call that ends too early shows only then
    Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(300));
    assertFalse(work.isDone());
    word.setRelease(1);
    work.await(LONG);
    assertEquals(got.floats(), new float[] {5, 6});
    assertThrows(PeerFailedException.class, () -> further.await(LONG));
    got.close();
    late.close();
    assertEquals(keysOfGroups(), List.of());
  }
}
