// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.hash.HashCode;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.plan.Worlds.Profile;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Proves the plans of small jobs: every job of up to {@value #EXHAUSTIVE_RANKS} ranks in every
 * setting, every larger one in some settings of every call; of {@value #LARGEST} ranks, some calls
 * only, unless {@code -Dtombolo.full=true}, as in CI. With {@code -Dtombolo.deep=true}, all of them
 * in all settings and with all choices of relays.
 */
public class SmallWorldsTest {
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");
  private static final int LARGEST = 6;
  private static final int CALLS_ONE_IN = Boolean.getBoolean("tombolo.full") ? 1 : 3;

  /** With it, no new word is begun after so many minutes; how many were is printed. */
  private static final long DEEP_MINUTES = Long.getLong("tombolo.deep.minutes", 24 * 60);

  private static final int SAMPLED_ONE_IN = 1_000;
  private static final int EXHAUSTIVE_RANKS = 3;
  private static final int VENDORS = 4;
  private static final long SEED = 20261121;
  private static final int SETTINGS_PER_CALL = 1;
  private static final int SEVEN_RANK_CASES = 3_000;
  private static final int MATRICES_PER_WORD = 10;
  private static final List<String> LARGER =
      List.of(
          "aaabbbbb",
          "abababbb",
          "aaaabbbbcccc",
          "abcabcabcabc",
          "aabbccdd",
          "abcddcba",
          "abbbbbbb",
          "bbbabbbb");

  private final long begun = System.nanoTime();
  private final Map<Collective, LongAdder> proven = new EnumMap<>(Collective.class);
  private final LongAdder known = new LongAdder();
  private final LongAdder compared = new LongAdder();
  private final LongAdder wordsProven = new LongAdder();
  private final Set<HashCode> seen = ConcurrentHashMap.newKeySet();
  private final Map<HashCode, Case> sampled = new ConcurrentHashMap<>();

  /** A call in a setting, as each rank makes it. */
  private record Case(Setting setting, List<CollectiveCall> calls) {}

  @BeforeMethod
  public void forget() {
    proven.clear();
    known.reset();
    compared.reset();
    wordsProven.reset();
    seen.clear();
    sampled.clear();
    EnumSet.allOf(Collective.class).forEach(each -> proven.put(each, new LongAdder()));
  }

  @DataProvider
  public Object[][] sizes() {
    return IntStream.rangeClosed(1, LARGEST)
        .mapToObj(ranks -> new Object[] {ranks})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "sizes")
  public void shouldProveEveryCallOfEverySmallWorld(int ranks) {
    List<String> words = Worlds.words(ranks, VENDORS);
    Map<Long, List<List<CollectiveCall>>> calls =
        LongStream.of(Setting.counts(ranks))
            .boxed()
            .collect(Collectors.toMap(count -> count, count -> Calls.all(ranks, count)));
    if (DEEP || ranks <= EXHAUSTIVE_RANKS) {
      Collections.shuffle(words, new Random(SEED)); // so that a part is a fair sample
      words.parallelStream().forEach(word -> proveAll(word, calls));
      System.out.printf(
          "%d of %d words; %d more cases have the same plans, %d of them compared and proven,"
              + " too%n",
          wordsProven.sum(), words.size(), known.sum(), compared.sum());
    } else {
      words.parallelStream()
          .forEach(word -> proveSome(word, calls, new Random(SEED + word.hashCode())));
    }
    report(words.size() + " words of " + ranks + " ranks, seed " + SEED);
  }

  /** Plans that are the same are proven once, and compared now and then. */
  private void proveAll(String word, Map<Long, List<List<CollectiveCall>>> calls) {
    if (System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(DEEP_MINUTES)) {
      return;
    }
    Clustering clustering = Worlds.clustering(word);
    for (List<Relays> relays : Worlds.relays(clustering)) {
      for (Setting setting : Setting.all(word, relays)) {
        PlanContext context = setting.context(clustering);
        calls
            .get(setting.count())
            .forEach(
                each -> proveOnce(new Case(setting, setting.profile().reaching(each)), context));
      }
    }
    wordsProven.increment();
    if (DEEP) {
      System.out.printf(
          "%s: %d words, %d cases proven, %d with the same plans, %d s%n",
          word,
          wordsProven.sum(),
          seen.size(),
          known.sum(),
          (System.nanoTime() - begun) / 1_000_000_000);
    }
  }

  private void proveOnce(Case each, PlanContext context) {
    HashCode same = Sameness.of(each.setting(), context, each.calls());
    if (seen.add(same)) {
      if (same.asInt() % SAMPLED_ONE_IN == 0) {
        sampled.put(same, each);
      }
      prove(each.setting(), context, each.calls());
    } else {
      known.increment();
      Optional.ofNullable(sampled.get(same)).ifPresent(first -> compare(first, each, context));
    }
  }

  private void compare(Case first, Case second, PlanContext context) {
    PlanContext firsts = first.setting().context(Worlds.clustering(first.setting().word()));
    assertEquals(
        Sameness.programs(second.setting(), context, second.calls()),
        Sameness.programs(first.setting(), firsts, first.calls()),
        first + " and " + second);
    verify(second.setting(), context, second.calls());
    compared.increment();
  }

  private void proveSome(String word, Map<Long, List<List<CollectiveCall>>> calls, Random random) {
    Clustering clustering = Worlds.clustering(word);
    int oneIn = word.length() == LARGEST ? CALLS_ONE_IN : 1;
    for (int call = random.nextInt(oneIn); call < calls.get(1L).size(); call += oneIn) {
      for (int i = 0; i < SETTINGS_PER_CALL; i++) {
        Setting setting = Setting.any(word, clustering, random);
        proveIn(setting, clustering, calls.get(setting.count()).get(call));
      }
    }
  }

  @Test
  public void shouldProveMessagesOfEveryRank() {
    Random random = new Random(SEED);
    for (int ranks = 1; ranks <= 6; ranks++) {
      for (String word : Worlds.words(ranks, VENDORS)) {
        Clustering clustering = Worlds.clustering(word);
        for (int i = 0; i < MATRICES_PER_WORD; i++) {
          Setting setting = Setting.any(word, clustering, random);
          for (Collective each : List.of(Collective.ALL_TO_ALL_V, Collective.EXCHANGE)) {
            proveIn(setting, clustering, Calls.pairwise(each, ranks, 5, random));
          }
        }
      }
    }
    report("messages of every rank, seed " + SEED);
  }

  @Test
  public void shouldProveLargerWorlds() {
    proveAny(LARGER, 300 * LARGER.size(), SEED);
    report("larger words " + LARGER);
  }

  @Test
  public void shouldProveOtherSevenRankWorldsEachTime() {
    long seed = TestSeed.drawn();
    proveAny(Worlds.words(7, VENDORS), SEVEN_RANK_CASES, seed);
    report("words of 7 ranks");
  }

  @Test
  public void shouldProveCallsOfMoreElementsThanAnIntCounts() {
    long count = (1L << 33) + 5;
    for (String word : List.of("a", "aa", "aab", "abab", "abcab", "aaabbbbb")) {
      Clustering clustering = Worlds.clustering(word);
      for (long segmentBytes : new long[] {3 * count, 1L << 50}) {
        for (Algorithm algorithm : Algorithm.values()) {
          for (Profile profile : Profile.values()) {
            List<List<Relays>> relays = Worlds.relays(clustering);
            Setting setting =
                new Setting(
                    word,
                    relays.get(relays.size() - 1 - relays.size() / 3),
                    segmentBytes,
                    algorithm,
                    profile,
                    count);
            Calls.all(word.length(), count).stream()
                .filter(calls -> algorithm.serves(calls.get(0).collective()))
                .forEach(calls -> proveIn(setting, clustering, calls));
          }
        }
      }
    }
    report("calls of " + count + " elements");
  }

  private void proveAny(List<String> words, int cases, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < cases; i++) {
      String word = words.get(random.nextInt(words.size()));
      Clustering clustering = Worlds.clustering(word);
      Setting setting = Setting.any(word, clustering, random);
      List<List<CollectiveCall>> calls = Calls.all(word.length(), setting.count());
      proveIn(setting, clustering, calls.get(random.nextInt(calls.size())));
    }
  }

  private void proveIn(Setting setting, Clustering clustering, List<CollectiveCall> calls) {
    prove(setting, setting.context(clustering), setting.profile().reaching(calls));
  }

  private void prove(Setting setting, PlanContext context, List<CollectiveCall> calls) {
    verify(setting, context, calls);
    proven.get(calls.get(0).collective()).increment();
  }

  private static void verify(Setting setting, PlanContext context, List<CollectiveCall> calls) {
    List<Plan> plans = Worlds.plans(context, calls);
    try {
      PlanVerifier.verify(context.clustering(), plans);
    } catch (RuntimeException e) {
      throw new AssertionError(setting + ": " + calls, e);
    }
    for (Plan plan : plans) { // the vote compares them
      assertEquals(plan.scheme(), plans.get(0).scheme(), setting + ": " + calls);
    }
  }

  private void report(String what) {
    long sum = proven.values().stream().mapToLong(LongAdder::sum).sum();
    System.out.printf("%s: %d cases proven: %s%n", what, sum, proven);
    assertTrue(sum > 0);
  }

  @Test
  public void shouldMoveNoMoreThanTheBoundBetweenClusters() {
    for (String word : new String[] {"aabb", "abab", "aabbcc", "abcabc", "aaabbb"}) {
      PlanContext context = Worlds.context(word, 1 << 20);
      int clusters = context.clustering().clusters().size();
      long count = 3_600;
      List<Plan> plans =
          Worlds.plans(context, CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false));
      for (Cluster cluster : context.clustering().clusters()) {
        long sent = cluster.ranks().stream().mapToLong(rank -> plans.get(rank).crossBytes()).sum();
        assertEquals(sent, 2L * (clusters - 1) * count * Float.BYTES / clusters, word);
      }
    }
  }

  @Test
  public void shouldUseEveryRankAsRelayWhenClustersAreUnequal() {
    PlanContext context = Worlds.context("aaabbbbb", 1 << 20);
    List<Plan> plans =
        Worlds.plans(context, CollectiveCall.allReduce(1500, DataType.F32, ReduceOp.SUM, false));
    List<Long> sent = new ArrayList<>();
    plans.forEach(plan -> sent.add(plan.crossBytes()));
    assertEquals(sent, List.of(2000L, 2000L, 2000L, 1200L, 1200L, 1200L, 1200L, 1200L));
  }
}
