// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.plan.Reduction;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/**
 * Ranks that work for long: operations of all sorts, parts that are split off and fail, agreements,
 * processes that are killed, whole communicators that fail and are made anew. What they hold must
 * not grow. For 20 seconds; for as many as {@code -Dtombolo.soakSeconds} says, or for 30 minutes
 * with {@code -Dtombolo.deep=true}. What is held is printed every minute.
 */
public class SoakTest {
  private static final int RANKS = 3;
  private static final int SPLITS_PER_LIFE = 20;
  private static final int SUMS_PER_SPLIT = 25;
  private static final int LIVES_PER_DEATH = 8;

  /** So that half an hour is more than 100 000 operations and 2 000 splits. */
  private static final long LEAST_OPERATIONS_A_SECOND = 60;

  private static final long LEAST_SPLITS_A_SECOND = 2;
  private static final long MINUTE_NS = 60_000_000_000L;

  /** Rounds until what is made once is made: classes, pools, caches. */
  private static final int WARM_LIVES = 3;

  private static final long SLACK_KIB = 64 << 10;

  /**
   * What a rank leaves behind of the communicators that fail in one life, that of all and some of
   * the parts: memory in which operations were under way, words that streams may wait for.
   */
  private static final long LEFT_BEHIND_KIB = 256;

  /** The last failures of parts, which stay in the store for a while. */
  private static final long KEPT_NEWS = 9;

  private static final long SECONDS =
      Long.getLong("tombolo.soakSeconds", Boolean.getBoolean("tombolo.deep") ? 1_800 : 20);

  private long operations;
  private long splits;
  private long deaths;

  @Test(timeOut = 2_400_000)
  public void shouldHoldNoMoreTheLongerItWorks() throws IOException {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    Deadline end = Deadline.after(Duration.ofSeconds(SECONDS));
    int lives = 0;
    long minutes = 0;
    Holdings first = null;
    Holdings last = null;
    while (lives <= WARM_LIVES || !end.isExpired()) {
      if (lives % LIVES_PER_DEATH == 0) {
        surviveADeath(random);
      }
      long keys = live(random);
      lives++;
      last = Holdings.now(keys);
      first = lives == WARM_LIVES ? last : first;
      if (end.elapsedNs() / MINUTE_NS >= minutes) {
        minutes = end.elapsedNs() / MINUTE_NS + 1;
        report(end, lives, last);
      }
    }
    report(end, lives, last);
    assertTrue(last.files() <= first.files() + 4, first + "; " + last);
    last = settled(last, first.threads() + 4);
    assertTrue(last.threads() <= first.threads() + 4, first + "; " + last + " " + threads());
    long left = (long) (lives - WARM_LIVES) * RANKS * LEFT_BEHIND_KIB;
    assertTrue(last.rssKib() <= first.rssKib() + SLACK_KIB + left, first + "; " + last);
    assertTrue(operations >= SECONDS * LEAST_OPERATIONS_A_SECOND, operations + " operations");
    assertTrue(splits >= SECONDS * LEAST_SPLITS_A_SECOND, splits + " splits");
  }

  private void report(Deadline end, int lives, Holdings held) {
    System.out.printf(
        "soak: %d s, %d operations, %d splits, %d lives, %d deaths: %s%n",
        end.elapsedNs() / 1_000_000_000, operations, splits, lives, deaths, held);
  }

  /** One communicator from its begin to its end; the keys that its parts have left in its store. */
  private long live(Random random) {
    try (ThreadRanks job = new ThreadRanks(RANKS)) {
      List<Communicator> ranks = job.all();
      long halfway = workAndSplit(job, random);
      long keys = workAndSplit(job, random);
      assertTrue(keys <= halfway + KEPT_NEWS, halfway + " keys, then " + job.keys());
      surviveAFailure(ranks, random);
      return keys;
    }
  }

  /** More splits than failures are kept; how many keys the store has then. */
  private long workAndSplit(ThreadRanks job, Random random) {
    for (int split = 0; split < SPLITS_PER_LIFE / 2; split++) {
      work(job.all(), random);
      splitOff(job.all(), random);
    }
    return job.keys().size();
  }

  /** Threads that end by themselves may take a moment on a crowded machine. */
  private static Holdings settled(Holdings held, long threads) throws IOException {
    Deadline patience = Deadline.after(ThreadRanks.LONG);
    Holdings now = held;
    while (now.threads() > threads && !patience.isExpired()) {
      now = Holdings.now(held.keys());
    }
    return now;
  }

  /** How many threads there are of each name. */
  private static String threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName().replaceAll("[0-9]+", "N"))
        .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()))
        .toString();
  }

  /** Sums, and then every operation, in which nothing may be wrong. */
  private void work(List<Communicator> ranks, Random random) {
    int elements = 1 + random.nextInt(5_000);
    int count = random.nextInt(500);
    long before = ranks.get(0).activity().operations();
    ThreadRanks.onAll(
        ranks,
        each -> {
          for (int i = 0; i < SUMS_PER_SPLIT; i++) {
            try (DeviceVector vector = DeviceVector.of(each, ones(elements))) {
              each.allReduce(vector.buffer(), Reduction.sum(), vector.stream())
                  .await(ThreadRanks.LONG);
              float[] sums = vector.floats();
              assertEquals(sums[0], (float) ranks.size());
              assertEquals(sums[elements - 1], (float) ranks.size());
            }
          }
          new EveryCall(each).run(count, count % ranks.size());
          return true;
        });
    operations += ranks.get(0).activity().operations() - before;
  }

  private static float[] ones(int elements) {
    float[] ones = new float[elements];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** A part that works, agrees, and ends well or by an abort; the whole does not notice. */
  private void splitOff(List<Communicator> ranks, Random random) {
    List<Communicator> parts = ThreadRanks.split(ranks);
    boolean aborts = random.nextInt(4) == 0;
    ThreadRanks.onAll(
        parts,
        each -> {
          try (Stream stream = each.device().newStream()) {
            each.barrier(stream).await(ThreadRanks.LONG);
          }
          return aborts || each.agree(-1, ThreadRanks.LONG).ranks().size() == parts.size();
        });
    if (aborts) {
      parts.get(random.nextInt(parts.size())).abort();
      parts.forEach(ThreadRanks::failureOf);
    }
    ThreadRanks.closeAll(parts);
    operations++;
    splits++;
  }

  /** One leaves after an abort, and the others go on. */
  private void surviveAFailure(List<Communicator> ranks, Random random) {
    int victim = random.nextInt(ranks.size());
    ranks.get(victim).abort();
    ranks.forEach(ThreadRanks::failureOf);
    ranks.get(victim).close();
    goOn(ranks.stream().filter(each -> each != ranks.get(victim)).toList(), random);
  }

  /** A process is killed while all call, and the others go on. */
  private void surviveADeath(Random random) {
    MortalRank victim = new MortalRank();
    int calls = random.nextInt(100);
    try (ThreadRanks job = new ThreadRanks(RANKS - 1, List.of(victim::start))) {
      ThreadRanks.onAll(
          job.all(),
          each -> {
            victim.call(each, each.rank() == 0 ? calls : -1);
            return true;
          });
      operations += calls;
      deaths++;
      goOn(job.all(), random);
    }
  }

  private void goOn(List<Communicator> survivors, Random random) {
    List<Communicator> next = ThreadRanks.onAll(survivors, each -> each.shrink(ThreadRanks.LONG));
    work(next, random);
    ThreadRanks.closeAll(next);
  }
}
