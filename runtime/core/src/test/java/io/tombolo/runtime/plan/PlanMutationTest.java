// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.rdma.ChannelRoom;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The verifier must be able to fail: it rejects every broken plan that an independent executor
 * shows to be wrong, of every operation.
 */
public class PlanMutationTest {
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");
  private static final long SEED = Long.getLong("tombolo.seed", 20261121);
  private static final int MUTANTS = DEEP ? 20_000 : 250;
  private static final int SOUND = DEEP ? 400 : 15;
  private static final int INTERLEAVINGS = 50;
  private static final List<String> WORDS =
      List.of("ab", "aa", "aab", "abab", "abba", "aabbc", "aaabb");

  /** With as many clusters as doubling is different for: a power of two, and others. */
  private static final List<String> DOUBLED = List.of("abc", "abcd", "aabcd", "abcdbe");

  private static final long[] COUNTS = {1, 5, 12};
  private static final long[] SEGMENT_BYTES = {8, 48, 1 << 20};

  @DataProvider
  public Object[][] operations() {
    return Stream.of(Collective.values())
        .filter(each -> each != Collective.BARRIER) // has no steps
        .flatMap(each -> sorts(each).map(sort -> new Object[] {sort}))
        .toArray(Object[][]::new);
  }

  /** Doubling has mutants of its own, for few others are of it. */
  private static Stream<Sort> sorts(Collective operation) {
    Sort any = new Sort(operation, WORDS, EnumSet.allOf(Algorithm.class));
    return Algorithm.DOUBLING.serves(operation)
        ? Stream.of(any, new Sort(operation, DOUBLED, EnumSet.of(Algorithm.DOUBLING)))
        : Stream.of(any);
  }

  /** What plans are drawn from. */
  private record Sort(Collective operation, List<String> words, Set<Algorithm> algorithms) {
    /** Whether anyone sends before it receives, so that receives could wait for it. */
    boolean sendsFirst() {
      return !operation.isRooted() && receivesOnDevices() && algorithms.size() > 1;
    }

    /** Whether NICs can ever write where results belong; a prefix is always combined first. */
    boolean receivesOnDevices() {
      return !operation.signature().source().isOrdered();
    }

    @Override
    public String toString() {
      return algorithms.size() > 1 ? operation.text() : operation.text() + algorithms;
    }
  }

  /** A job, and the plans of its ranks for one call. */
  private record Case(String name, Clustering clustering, List<Plan> plans) {}

  @Test(dataProvider = "operations")
  public void shouldAgreeWithTheLooseExecutorOnSoundPlans(Sort sort) {
    Random random = new Random(SEED);
    for (int i = 0; i < SOUND; i++) {
      Case sound = any(sort, random);
      PlanVerifier.verify(sound.clustering(), sound.plans());
      long seed = random.nextLong();
      assertFalse(isWrong(sound, seed), sound + " with seed " + seed);
    }
  }

  @Test(dataProvider = "operations")
  public void shouldRejectEveryMutantThatComputesWrongly(Sort sort) {
    Random random = new Random(SEED + sort.operation().text().hashCode());
    int wrong = 0;
    int strict = 0;
    int equivalent = 0;
    for (int i = 0; i < MUTANTS; i++) {
      Case sound = any(sort, random);
      Mutation mutation = any(EnumSet.allOf(Mutation.class), random);
      Case mutant = mutate(sound, mutation, random);
      if (mutant.plans().equals(sound.plans())) {
        continue;
      }
      boolean accepted = isAccepted(mutant);
      boolean isWrong = isWrong(mutant, random.nextLong());
      assertFalse(
          accepted && isWrong,
          "accepted a wrong plan, by " + mutation + ", seed " + SEED + ", mutant " + i + mutant);
      wrong += isWrong ? 1 : 0;
      strict += !isWrong && !accepted ? 1 : 0;
      equivalent += accepted ? 1 : 0;
    }
    System.out.printf(
        "%-22s %5d mutants: %5d wrong, all rejected; %4d rejected though no order of steps failed;"
            + " %4d equivalent%n",
        sort, wrong + strict + equivalent, wrong, strict, equivalent);
    assertTrue(wrong > MUTANTS / 3, "the mutations must bite: only " + wrong + " wrong ones");
  }

  @Test(dataProvider = "operations")
  public void shouldRejectEveryPlanThatLacksAFlush(Sort sort) {
    Random random = new Random(SEED + sort.operation().text().hashCode());
    int wrong = 0;
    int dropped = 0;
    for (int i = 0; i < SOUND || (wrong == 0 && i < MUTANTS); i++) {
      Case sound = any(sort, random);
      for (Plan plan : sound.plans()) {
        for (Step step : plan.steps()) {
          if (step.action() instanceof Action.Flush) {
            List<Plan> plans = new ArrayList<>(sound.plans());
            plans.set(plan.rank(), Mutation.without(plan, step, plans.size()));
            Case mutant = new Case(sound.name(), sound.clustering(), ImmutableList.copyOf(plans));
            assertFalse(isAccepted(mutant), "accepted without " + step + ": " + mutant);
            wrong += isWrong(mutant, random.nextLong()) ? 1 : 0;
            dropped++;
          }
        }
      }
    }
    System.out.printf("%-16s %5d flushes left out, %5d wrong%n", sort, dropped, wrong);
    assertEquals(
        wrong > 0,
        sort.receivesOnDevices(),
        "some plans must receive into device memory, and miss the flush: " + wrong);
  }

  /** Whether a job gets stuck does not depend on the timing, so one run of it shows it. */
  @Test(dataProvider = "operations")
  public void shouldRejectExactlyThoseThatGetStuckWithTheSlotsThereAre(Sort sort) {
    Random random = new Random(SEED + sort.operation().text().hashCode());
    int stuck = 0;
    int going = 0;
    for (int i = 0; i < MUTANTS / 2 || mayStillGetStuck(sort, stuck, i); i++) {
      Case mutant = any(sort, random);
      for (int waits = random.nextInt(60); waits >= 0; waits--) {
        mutant = mutate(mutant, Mutation.WAIT, random);
      }
      ChannelRoom room = new ChannelRoom(256, random.nextInt(4), 8 << random.nextInt(3));
      boolean ends =
          new LooseExecutor(mutant.clustering(), mutant.plans(), random.nextLong(), room).ends();
      assertEquals(isAccepted(mutant, room), ends, room + ", seed " + SEED + ", mutant " + mutant);
      stuck += ends ? 0 : 1;
      going += ends ? 1 : 0;
    }
    System.out.printf("%-22s %5d get stuck, %5d do not%n", sort, stuck, going);
    assertTrue(going > 0 && (stuck > 0 || !sort.sendsFirst()));
  }

  /** Of some operations one in thirty does. */
  private static boolean mayStillGetStuck(Sort sort, int stuck, int tried) {
    return sort.sendsFirst() && stuck == 0 && tried < 4 * MUTANTS;
  }

  private static <E> E any(Set<E> all, Random random) {
    return ImmutableList.copyOf(all).get(random.nextInt(all.size()));
  }

  private static Case any(Sort sort, Random random) {
    while (true) {
      String word = sort.words().get(random.nextInt(sort.words().size()));
      Clustering clustering = Worlds.clustering(word);
      List<List<Relays>> relays = Worlds.relays(clustering);
      long count = COUNTS[random.nextInt(COUNTS.length)];
      Setting setting =
          new Setting(
              word,
              relays.get(random.nextInt(relays.size())),
              SEGMENT_BYTES[random.nextInt(SEGMENT_BYTES.length)],
              any(sort.algorithms(), random),
              any(EnumSet.allOf(Worlds.Profile.class), random),
              count);
      List<CollectiveCall> calls =
          Calls.reached(calls(sort.operation(), word.length(), count, random), random);
      List<Plan> plans = Worlds.plans(setting.context(clustering), calls);
      if (plans.stream().anyMatch(plan -> !plan.steps().isEmpty())) {
        return new Case(setting + ": " + calls.get(0), clustering, plans);
      }
    }
  }

  private static List<CollectiveCall> calls(
      Collective operation, int ranks, long count, Random random) {
    if (operation == Collective.ALL_TO_ALL_V || operation == Collective.EXCHANGE) {
      return Calls.pairwise(operation, ranks, count, random);
    }
    List<List<CollectiveCall>> all =
        Calls.all(ranks, count).stream()
            .filter(calls -> calls.get(0).collective() == operation)
            .toList();
    List<CollectiveCall> calls = all.get(random.nextInt(all.size()));
    return IntStream.range(0, ranks).mapToObj(rank -> ownFactor(calls.get(rank), rank)).toList();
  }

  private static CollectiveCall ownFactor(CollectiveCall call, int rank) {
    return call.reduction() instanceof Reduction.PreMultiplied
        ? new CollectiveCall(
            call.collective(),
            call.type(),
            new Reduction.PreMultiplied(0.5 + rank),
            call.root(),
            call.layout(),
            call.inPlace())
        : call;
  }

  private static Case mutate(Case sound, Mutation mutation, Random random) {
    List<Plan> plans = new ArrayList<>(sound.plans());
    int rank = random.nextInt(plans.size());
    while (plans.get(rank).steps().isEmpty()) {
      rank = random.nextInt(plans.size());
    }
    plans.set(rank, mutation.of(plans.get(rank), plans.size(), random));
    return new Case(sound.name(), sound.clustering(), ImmutableList.copyOf(plans));
  }

  private static boolean isAccepted(Case mutant) {
    return isAccepted(mutant, ChannelRoom.LEAST);
  }

  private static boolean isAccepted(Case mutant, ChannelRoom room) {
    try {
      PlanVerifier.verify(mutant.clustering(), mutant.plans(), room);
      return true;
    } catch (PlanDefect defect) {
      return false;
    }
  }

  private static boolean isWrong(Case mutant, long seed) {
    for (int i = 0; i < INTERLEAVINGS; i++) {
      if (!new LooseExecutor(mutant.clustering(), mutant.plans(), seed + i).isRight()) {
        return true;
      }
    }
    return false;
  }
}
