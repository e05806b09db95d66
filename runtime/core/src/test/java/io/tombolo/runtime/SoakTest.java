// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.plan.Reduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/**
 * Ranks that work for long: operations of all sorts, parts that are split off and fail, agreements,
 * whole communicators that fail and are made anew. What they hold must not grow. For 20 seconds;
 * for as many as {@code -Dtombolo.soakSeconds} says, or for 30 minutes with {@code
 * -Dtombolo.deep=true}.
 */
public class SoakTest {
  private static final int RANKS = 3;
  private static final int SPLITS_PER_LIFE = 20;
  private static final int OPERATIONS_PER_SPLIT = 25;

  /** Rounds until what is made once is made: classes, pools, caches. */
  private static final int WARM_LIVES = 3;

  private static final long SLACK_KIB = 64 << 10;

  /**
   * What a rank leaves behind of the communicators that fail in one life, that of all and some of
   * the parts: the stages and scratch memory that they had worked in.
   */
  private static final long LEFT_BEHIND_KIB = 2 << 10;

  private static final long SECONDS =
      Long.getLong("tombolo.soakSeconds", Boolean.getBoolean("tombolo.deep") ? 1_800 : 20);

  private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  /**
   * What this process holds.
   *
   * @param files open files
   * @param threads threads
   * @param rssKib memory, as the kernel counts it
   */
  private record Held(long files, long threads, long rssKib) {
    static Held now() throws IOException {
      System.gc();
      Matcher rss = RSS.matcher(Files.readString(Path.of("/proc/self/status")));
      assertTrue(rss.find());
      return new Held(
          count("/proc/self/fd"), count("/proc/self/task"), Long.parseLong(rss.group(1)));
    }

    private static long count(String folder) throws IOException {
      try (var entries = Files.list(Path.of(folder))) {
        return entries.count();
      }
    }
  }

  @Test(timeOut = 2_400_000)
  public void shouldHoldNoMoreTheLongerItWorks() throws IOException {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    Deadline end = Deadline.after(Duration.ofSeconds(SECONDS));
    long operations = 0;
    long splits = 0;
    int lives = 0;
    Held first = null;
    Held last = null;
    while (lives <= WARM_LIVES || !end.isExpired()) {
      try (ThreadRanks job = new ThreadRanks(RANKS)) {
        List<Communicator> ranks = job.all();
        for (int split = 0; split < SPLITS_PER_LIFE; split++) {
          operations += work(ranks, random);
          splits += splitOff(ranks, random);
        }
        operations += surviveAFailure(ranks, random);
      }
      lives++;
      last = Held.now();
      first = lives == WARM_LIVES ? last : first;
    }
    System.out.printf(
        "%s s, %s operations, %s splits, %s lives: %s after %s, %s at the end%n",
        SECONDS, operations, splits, lives, first, WARM_LIVES, last);
    assertTrue(last.files() <= first.files() + 4, first + " " + last);
    last = settled(last, first.threads() + 4);
    assertTrue(last.threads() <= first.threads() + 4, first + " " + last + " " + threads());
    long left = (long) (lives - WARM_LIVES) * RANKS * LEFT_BEHIND_KIB;
    assertTrue(last.rssKib() <= first.rssKib() + SLACK_KIB + left, first + " " + last);
  }

  /** Threads that end by themselves may take a moment on a crowded machine. */
  private static Held settled(Held held, long threads) throws IOException {
    Deadline patience = Deadline.after(ThreadRanks.LONG);
    Held now = held;
    while (now.threads() > threads && !patience.isExpired()) {
      now = Held.now();
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

  /** Sums, in which nothing may be wrong. */
  private static long work(List<Communicator> ranks, Random random) {
    int elements = 1 + random.nextInt(5_000);
    ThreadRanks.onAll(
        ranks,
        each -> {
          for (int i = 0; i < OPERATIONS_PER_SPLIT; i++) {
            try (DeviceVector vector = DeviceVector.of(each, ones(elements))) {
              each.allReduce(vector.buffer(), Reduction.sum(), vector.stream())
                  .await(ThreadRanks.LONG);
              float[] sums = vector.floats();
              assertEquals(sums[0], (float) ranks.size());
              assertEquals(sums[elements - 1], (float) ranks.size());
            }
          }
          return true;
        });
    return OPERATIONS_PER_SPLIT;
  }

  private static float[] ones(int elements) {
    float[] ones = new float[elements];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** A part that works, agrees, and ends well or by an abort; the whole does not notice. */
  private static long splitOff(List<Communicator> ranks, Random random) {
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
    return 1;
  }

  /** One leaves after an abort, and the others go on. */
  private static long surviveAFailure(List<Communicator> ranks, Random random) {
    int victim = random.nextInt(ranks.size());
    ranks.get(victim).abort();
    ranks.forEach(ThreadRanks::failureOf);
    ranks.get(victim).close();
    List<Communicator> others = ranks.stream().filter(each -> each != ranks.get(victim)).toList();
    List<Communicator> next = ThreadRanks.onAll(others, each -> each.shrink(ThreadRanks.LONG));
    long made = work(next, random);
    ThreadRanks.closeAll(next);
    return made;
  }
}
