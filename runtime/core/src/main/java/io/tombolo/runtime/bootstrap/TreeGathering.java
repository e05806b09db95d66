// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ranks come together through the store, by a {@linkplain GatherTree tree}: each gives something,
 * and all get what was made of it. Says who is missing: now and then, and in the end. Used once, by
 * one thread.
 */
public final class TreeGathering {
  private static final Logger LOG = LoggerFactory.getLogger(TreeGathering.class);

  /** How often it says so. */
  private static final Duration ROUND = Duration.ofSeconds(10);

  /** For what came just before the end. */
  private static final Duration LEAST = Duration.ofMillis(10);

  /** How often one looks again, once time is up, whether what all have given goes on. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** Who has all that it passes on, and does not, has so long before it is to blame. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final String TELLER = "teller";
  private static final byte[] HERE = {1};

  private final Store room;
  private final GatherTree tree;
  private final int rank;
  private final Occasion occasion;
  private final Function<List<Integer>, Duration> limitOf;
  private Deadline deadline;
  private Duration least = LEAST;

  /**
   * Of ranks 0 … {@code size} - 1.
   *
   * @param room a place in the store for this gathering alone
   * @param rank who comes
   */
  public TreeGathering(Store room, int rank, int size, Occasion occasion, Deadline deadline) {
    this(room, rank, size, occasion, deadline, missing -> Duration.ZERO);
  }

  /** As the other; {@code limitOf} says, of ranks that are missing, how long they may take. */
  TreeGathering(
      Store room,
      int rank,
      int size,
      Occasion occasion,
      Deadline deadline,
      Function<List<Integer>, Duration> limitOf) {
    this.room = room;
    this.rank = rank;
    this.tree = new GatherTree(size);
    this.occasion = occasion;
    this.deadline = deadline;
    this.limitOf = limitOf;
  }

  /** Gives {@code value}. Blocks until all below this rank have come; throws as the other. */
  public void give(byte[] value) {
    give(below -> RankBundle.merge(tree, rank, value, below));
  }

  /** What each rank gave, by rank. Blocks until all have come. */
  public ImmutableList<byte[]> awaitEach() {
    return RankBundle.all(tree, await());
  }

  /**
   * Gives what {@code merge} makes of what the ranks just below this one gave, in their order; none
   * gives more than once. Blocks until these have.
   *
   * @throws DeadlineExceededException naming exactly the ranks that did not come
   */
  void give(Function<ImmutableList<byte[]>, byte[]> merge) {
    ImmutableList<Integer> children = tree.children(rank);
    if (!children.isEmpty()) {
      room.set(GatherTree.comingOf(rank), HERE);
    }
    ImmutableList<byte[]> below =
        children.isEmpty() ? ImmutableList.of() : awaited(GatherTree.bundlesOf(children));
    room.set(GatherTree.bundleOf(rank), merge.apply(below));
  }

  /** What rank 0 gave, and so what was made of all. Blocks until all have come. */
  byte[] await() {
    return awaited(List.of(GatherTree.ALL)).get(0);
  }

  private ImmutableList<byte[]> awaited(List<String> keys) {
    while (true) {
      long waitNs = Math.max(least.toNanos(), Math.min(ROUND.toNanos(), deadline.remainingNs()));
      try {
        return room.awaitAll(keys, Deadline.after(Duration.ofNanos(waitNs)));
      } catch (DeadlineExceededException e) {
        if (deadline.isExpired()) {
          inspect(e);
        } else {
          tell();
        }
      }
    }
  }

  private void inspect(DeadlineExceededException e) {
    Inspection seen = Inspection.of(room, tree, rank, limitOf);
    deadline = deadline.stretchedTo(seen.limit());
    if (!deadline.isExpired()) {
      return;
    }
    if (!seen.turnout().missing().isEmpty()) {
      throw new DeadlineExceededException(
          occasion.absent(seen.turnout().missing(), tree.size(), deadline), e);
    }
    least = PAUSE;
    if (-deadline.remainingNs() > GRACE.toNanos() && !seen.turnout().held().isEmpty()) {
      throw new DeadlineExceededException(
          occasion.stuck(seen.turnout().held(), tree.size(), deadline), e);
    }
  }

  /** One rank tells: the first that has something to tell. */
  private void tell() {
    byte[] mine = Integer.toString(rank).getBytes(UTF_8);
    if (!LOG.isInfoEnabled() || !Arrays.equals(room.compareSet(TELLER, new byte[0], mine), mine)) {
      return;
    }
    room.set(TELLER, mine); // so that it is removed with this rank's keys
    List<Integer> missing = Turnout.of(room, tree).missing();
    LOG.info("{}", occasion.progress(missing, tree.size(), deadline));
  }
}
