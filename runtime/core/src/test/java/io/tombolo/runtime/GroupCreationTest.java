// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.assertUsable;
import static io.tombolo.runtime.ThreadRanks.failureOf;
import static io.tombolo.runtime.ThreadRanks.later;
import static io.tombolo.runtime.ThreadRanks.onAll;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.OwnKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * Groups that their members alone make, several at once from several threads; ranks are threads of
 * one process.
 */
public class GroupCreationTest {
  private static final int RANKS = 4;
  private static final List<String> TAGS = List.of("", "a", "a/b", "ü ".repeat(5000));
  private static final Duration SHORT = Duration.ofMillis(300);

  private final Random random = new Random(TestSeed.drawn());
  private ThreadRanks ranks;
  private List<Communicator> all;

  @BeforeClass
  public void join() {
    ranks = new ThreadRanks(RANKS);
    all = ranks.all();
  }

  @AfterClass(alwaysRun = true)
  public void leave() {
    ranks.close();
  }

  /** Every set of ranks, half of them in reverse order. */
  private static List<List<Integer>> everyGroup() {
    List<List<Integer>> groups = new ArrayList<>();
    for (int set = 1; set < 1 << RANKS; set++) {
      int bits = set;
      List<Integer> group =
          new ArrayList<>(
              IntStream.range(0, RANKS).filter(r -> (bits >> r & 1) != 0).boxed().toList());
      if (set % 2 == 0) {
        Collections.reverse(group);
      }
      groups.add(ImmutableList.copyOf(group));
    }
    return groups;
  }

  /**
   * Makes {@code group} here, looks at who is in it, and that all of them think it is number {@code
   * which}, and closes it.
   */
  private static boolean makeAndCheck(
      int which,
      List<Integer> group,
      Function<Communicator, Communicator> make,
      Communicator from) {
    int self = from.rank();
    try (Communicator made = make.apply(from);
        DeviceVector vector = DeviceVector.of(made, 1 << self, which)) {
      assertEquals(made.rank(), group.indexOf(self), "place of rank " + self + " in " + group);
      assertEquals(made.size(), group.size());
      made.allReduce(vector.buffer(), Reduction.sum(), vector.stream()).await();
      float bits = group.stream().mapToInt(rank -> 1 << rank).sum();
      assertEquals(vector.floats(), new float[] {bits, which * group.size()}, group.toString());
    }
    return true;
  }

  @Test(timeOut = 60_000)
  public void shouldMakeAllGroupsOfASmallWorldAtOnce() {
    List<CompletableFuture<Boolean>> made = new ArrayList<>();
    for (Communicator each : all) {
      List<List<Integer>> groups = new ArrayList<>(everyGroup());
      Collections.shuffle(groups, random);
      for (List<Integer> group : groups) {
        if (group.contains(each.rank())) {
          made.add(later(() -> makeAndCheck(0, group, from -> from.createGroup(group), each)));
        }
      }
    }
    made.forEach(CompletableFuture::join);
    assertUsable(all);
  }

  @Test(timeOut = 60_000)
  public void shouldMakeGroupsOneAfterTheOtherInAnyOrderThatDoesNotCross() {
    onAll(
        all,
        each -> {
          for (List<Integer> group : everyGroup()) {
            if (group.contains(each.rank())) {
              makeAndCheck(0, group, from -> from.createGroup(group), each);
            }
          }
          return true;
        });
  }

  @Test(timeOut = 60_000)
  public void shouldTellGroupsOfTheSameRanksApartByTheirTags() {
    List<Integer> everyone = IntStream.range(0, RANKS).boxed().toList();
    List<CompletableFuture<Boolean>> made = new ArrayList<>();
    for (Communicator each : all) {
      List<Integer> order = new ArrayList<>(IntStream.range(0, TAGS.size()).boxed().toList());
      Collections.shuffle(order, random);
      for (int which : order) {
        String tag = TAGS.get(which);
        made.add(later(() -> makeAndCheck(which, everyone, from -> from.duplicate(tag), each)));
        made.add(
            later(
                () ->
                    makeAndCheck(
                        which,
                        everyone,
                        from -> from.split(7, from.rank(), tag).orElseThrow(),
                        each)));
      }
    }
    made.forEach(CompletableFuture::join);
  }

  /** Half of the ranks wait in the split of one, and the others in that of the other. */
  @Test(timeOut = 60_000)
  public void shouldSplitTwoCommunicatorsInOppositeOrders() throws Exception {
    List<Communicator> twins = onAll(all, Communicator::duplicate);
    List<HeldCall<Communicator>> splits = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      Communicator first = (rank % 2 == 0 ? all : twins).get(rank);
      splits.add(splitLater(first).awaitIn(OwnKeys.class, "awaitAll"));
    }
    for (int rank = 0; rank < RANKS; rank++) {
      splits.add(splitLater((rank % 2 == 0 ? twins : all).get(rank)));
    }
    List<Communicator> parts = new ArrayList<>();
    for (HeldCall<Communicator> split : splits) {
      parts.add(split.get());
    }
    assertUsable(parts);
    ThreadRanks.closeAll(parts);
    ThreadRanks.closeAll(twins);
  }

  private static HeldCall<Communicator> splitLater(Communicator whole) {
    return HeldCall.start(() -> whole.split(0, whole.rank()).orElseThrow());
  }

  @Test(timeOut = 60_000)
  public void shouldMakeGroupsInsideOfGroups() {
    List<Communicator> three =
        onAll(all.subList(1, RANKS), each -> each.createGroup(List.of(3, 1, 2)));
    List<Communicator> two = onAll(three.subList(0, 2), each -> each.createGroup(List.of(2, 1)));
    assertEquals(two.stream().map(Communicator::rank).toList(), List.of(1, 0));
    assertUsable(two);
    three.get(0).abort();
    assertSame(failureOf(two.get(1)).getClass(), AbortedException.class);
    ThreadRanks.closeAll(two);
    ThreadRanks.closeAll(three);
    assertUsable(all);
  }

  @Test(timeOut = 60_000)
  public void shouldNameTheRanksThatDoNotComeToThoseWhoComeLateToo() {
    Communicator first = all.get(1);
    DeadlineExceededException e =
        expectThrows(
            DeadlineExceededException.class,
            () ->
                Creation.of(
                    first.session(),
                    first.session().everyone(),
                    List.of(1, 3, 2),
                    "odd",
                    Deadline.after(SHORT)));
    assertTrue(e.getMessage().contains("ranks [1, 3, 2]"), e.getMessage());
    assertTrue(e.getMessage().contains("nothing was heard of [3, 2]"), e.getMessage());
    Deadline elapsed = Deadline.after(ThreadRanks.LONG);
    for (int late = 2; late < RANKS; late++) {
      Communicator each = all.get(late);
      DeadlineExceededException heard =
          expectThrows(
              DeadlineExceededException.class,
              () -> each.createGroup(List.of(1, 3, 2), "odd").close());
      assertTrue(heard.getMessage().contains("nothing was heard of [3, 2]"), heard.getMessage());
    }
    assertTrue(elapsed.elapsedNs() < ThreadRanks.LONG.toNanos() / 2, elapsed.toString());
    ThreadRanks.closeAll(
        onAll(all.subList(1, RANKS), each -> each.createGroup(List.of(1, 3, 2), "odd")));
    assertUsable(all);
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseWhatIsNoGroupOfThisRank() {
    Communicator one = all.get(1);
    List<List<Integer>> wrong =
        List.of(List.of(0, 2), List.of(), List.of(1, 1), List.of(1, RANKS), List.of(1, -1));
    for (List<Integer> group : wrong) {
      String message =
          expectThrows(UsageException.class, () -> one.createGroup(group).close()).getMessage();
      assertTrue(message.contains(group.toString()), message);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldUniteGroupsThatKnowNothingOfEachOther() {
    List<Communicator> left = onAll(all.subList(0, 2), each -> each.createGroup(List.of(1, 0)));
    List<Communicator> right = onAll(all.subList(2, 4), each -> each.createGroup(List.of(2, 3)));
    List<Communicator> parts =
        ImmutableList.<Communicator>builder().addAll(left).addAll(right).build();
    for (int time = 0; time < 3; time++) {
      List<Communicator> union = onAll(parts, each -> each.merge(RANKS, "both"));
      assertEquals(union.stream().map(Communicator::rank).toList(), List.of(0, 1, 2, 3));
      assertUsable(union);
      ThreadRanks.closeAll(union);
    }
    List<Communicator> union = onAll(parts, each -> each.merge(RANKS, "both"));
    left.get(0).abort();
    assertSame(failureOf(left.get(1)).getClass(), AbortedException.class);
    assertUsable(union);
    ThreadRanks.closeAll(parts);
    assertUsable(union);
    ThreadRanks.closeAll(union);
  }

  @Test(timeOut = 60_000)
  public void shouldSayWhoCameToAUnionThatIsTooSmallOrTooLarge() {
    Communicator one = all.get(1);
    Communicator alone = one.createGroup(List.of(1));
    RankGroup group = Iterables.getLast(one.session().groups());
    DeadlineExceededException few =
        expectThrows(
            DeadlineExceededException.class,
            () -> Merge.of(one.session(), group, 2, "few", Deadline.after(SHORT)));
    alone.close();
    assertTrue(few.getMessage().contains("only the job's ranks [1] came"), few.getMessage());
    CompletionException many =
        expectThrows(
            CompletionException.class, () -> onAll(all, each -> each.merge(RANKS - 1, "many")));
    assertSame(many.getCause().getClass(), MismatchException.class, many.toString());
    assertTrue(many.getCause().getMessage().contains("[0, 1, 2, 3]"), many.toString());
  }
}
