// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public final class RendezvousTest {

  @Test
  public void shouldGiveEveryoneEveryonesDescriptorByRank() {
    Store store = new MemoryStore();
    List<CompletableFuture<List<RankDescriptor>>> ranks =
        IntStream.of(2, 0, 1)
            .mapToObj(
                rank ->
                    CompletableFuture.<List<RankDescriptor>>supplyAsync(
                        () ->
                            Rendezvous.exchange(
                                    store, Descriptors.of(rank), 3, time(store, rank, 5_000))
                                .ranks(),
                        task -> new Thread(task).start()))
            .toList();
    for (CompletableFuture<List<RankDescriptor>> rank : ranks) {
      assertEquals(rank.join().stream().map(RankDescriptor::rank).toList(), List.of(0, 1, 2));
    }
  }

  @Test
  public void shouldNameExactlyTheRanksThatDidNotCome() {
    Store store = new MemoryStore();
    publish(store, Descriptors.of(2), 4);
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () -> Rendezvous.exchange(store, Descriptors.of(0), 4, time(store, 0, 30)));
    assertTrue(
        e.getMessage()
            .startsWith("rendezvous: 2 of 4 ranks did not come within 30 ms: ranks 1, 3. "),
        e.getMessage());
    assertTrue(e.getMessage().contains("WORLD_SIZE=4"), e.getMessage());
  }

  @Test
  public void shouldGiveARankThatHasBegunTheTimeThatItsVendorNeeds() {
    Store store = new MemoryStore();
    JoinTime slow = time(store, 1, 60_000);
    CompletableFuture<Rendezvous.Met> quick =
        CompletableFuture.supplyAsync(
            () -> Rendezvous.exchange(store, Descriptors.of(0), 2, time(store, 0, 1)),
            task -> new Thread(task).start());
    assertFalse(quick.isDone());
    assertEquals(Rendezvous.exchange(store, Descriptors.of(1), 2, slow).ranks().size(), 2);
    assertEquals(quick.join().ranks().size(), 2);
    assertEquals(quick.join().deadline().budgetNs(), 60_000_000_000L);
  }

  @Test
  public void shouldNotWaitLongerForWhoIsThereThanForWhoIsMissing() {
    Store store = new MemoryStore();
    time(store, 1, 60_000);
    publish(store, Descriptors.of(1), 3);
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () -> Rendezvous.exchange(store, Descriptors.of(0), 3, time(store, 0, 30)));
    assertTrue(e.getMessage().contains("within 30 ms: rank 2. "), e.getMessage());
  }

  @Test
  public void shouldNameTheRankWhoseDescriptorIsNone() {
    Store store = new MemoryStore();
    byte[] none = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7};
    store.set("rendezvous/up/1", RankBundle.merge(new GatherTree(2), 1, none, List.of()));
    CorruptException e =
        expectThrows(
            CorruptException.class,
            () -> Rendezvous.exchange(store, Descriptors.of(0), 2, time(store, 0, 1_000)));
    assertTrue(e.getMessage().startsWith("the descriptor of rank 1 begins with"), e.getMessage());
  }

  @Test
  public void shouldChooseTheHighestCommonVersion() {
    assertEquals(
        Rendezvous.protocolOf(
            List.of(
                Descriptors.speaking(0, 1, 4, "a"),
                Descriptors.speaking(1, 2, 3, "b"),
                Descriptors.speaking(2, 3, 9, "c"))),
        3);
  }

  @Test
  public void shouldNameRankAndBuildOfBothWhenNoVersionIsCommon() {
    Store store = new MemoryStore();
    publish(store, Descriptors.speaking(1, 3, 4, "0.9.0"), 2);
    MismatchException e =
        expectThrows(
            MismatchException.class,
            () ->
                Rendezvous.exchange(
                    store, Descriptors.speaking(0, 1, 2, "0.1.0"), 2, time(store, 0, 1_000)));
    assertEquals(
        e.getMessage(),
        "rank 0 (emu-amd, pid 4711, build 0.1.0) speaks protocol versions up to 2, but"
            + " rank 1 (emu-amd, pid 4712, build 0.9.0) needs 3 or later; run the same build everywhere");
    assertFalse(e.advice().communicatorUsable());
  }

  @Test
  public void shouldHandOverWhatTheOwnerMakes() {
    Store store = new MemoryStore();
    byte[] id = {1, 2, 3};
    assertEquals(UniqueIds.share(store, "cluster/0", 1, 1, () -> id, soon(10)), id);
    assertEquals(UniqueIds.share(store, "cluster/0", 3, 1, RendezvousTest::none, soon(10)), id);
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () -> UniqueIds.share(store, "cluster/1", 3, 2, RendezvousTest::none, soon(10)));
    assertTrue(e.getMessage().startsWith("rank 3 waited 10 ms for rank 2"), e.getMessage());
  }

  private static byte[] none() {
    throw new AssertionError("only the owner makes one");
  }

  /** As a rank does that has none below it. */
  static void publish(Store store, RankDescriptor descriptor, int size) {
    byte[] given = Roster.entry(descriptor, Duration.ZERO);
    store.set(
        "rendezvous/up/" + descriptor.rank(),
        RankBundle.merge(new GatherTree(size), descriptor.rank(), given, List.of()));
  }

  private static JoinTime time(Store store, int rank, long ms) {
    return JoinTime.begin(store, rank, Duration.ofMillis(ms));
  }

  private static Deadline soon(long ms) {
    return Deadline.after(Duration.ofMillis(ms));
  }
}
