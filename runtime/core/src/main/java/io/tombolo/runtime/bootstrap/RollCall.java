// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for one value from every rank, and says who is missing: now and then, and in the end. */
public final class RollCall {
  private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);

  /** How often it says so. */
  static final Duration ROUND = Duration.ofSeconds(10);

  /** For what came just before the end. */
  private static final long LEAST_NS = 10_000_000;

  private final Store store;
  private final int rank;
  private final int size;
  private final String occasion;
  private final String fix;

  /** As the other, of the ranks of a job, which may have been started in the wrong way. */
  RollCall(Store store, int rank, int size, String occasion) {
    this(
        store,
        rank,
        size,
        occasion,
        "check that they run with WORLD_SIZE=" + size + " and reach " + store.where());
  }

  /**
   * Of the values that ranks 0 … size-1 set under their numbers in {@code store}.
   *
   * @param rank who waits
   * @param occasion what all come together for, for messages: {@code rendezvous}
   * @param fix what helps those who do not come, for messages
   */
  public RollCall(Store store, int rank, int size, String occasion, String fix) {
    this.store = store;
    this.rank = rank;
    this.size = size;
    this.occasion = occasion;
    this.fix = fix;
  }

  /** The values, if they come before {@code deadline}. */
  public ImmutableList<byte[]> await(Deadline deadline) {
    return await(deadline, missing -> deadline);
  }

  /** The values; {@code limit} says, of the ranks that are missing, how long to wait for them. */
  ImmutableList<byte[]> await(JoinTime limit) {
    return await(limit.waitFor(List.of()), limit::waitFor);
  }

  private ImmutableList<byte[]> await(
      Deadline first, Function<List<Integer>, Deadline> limitOfMissing) {
    List<String> keys = IntStream.range(0, size).mapToObj(Integer::toString).toList();
    Deadline deadline = first;
    while (true) {
      long waitNs = Math.max(LEAST_NS, Math.min(ROUND.toNanos(), deadline.remainingNs()));
      try {
        return store.awaitAll(keys, Deadline.after(Duration.ofNanos(waitNs)));
      } catch (DeadlineExceededException e) {
        if (deadline.isExpired()) {
          List<Integer> missing = missing();
          deadline = limitOfMissing.apply(missing);
          if (!missing.isEmpty() && deadline.isExpired()) {
            throw new DeadlineExceededException(absent(missing, deadline), e);
          }
        }
        tell(deadline);
      }
    }
  }

  /** One rank tells: the first of those that have come. */
  private void tell(Deadline deadline) {
    if (LOG.isInfoEnabled() && IntStream.range(0, rank).allMatch(this::isMissing)) {
      List<Integer> missing = missing();
      LOG.info(
          "{}: {} of {} ranks have not come after {} of {} s: {}",
          occasion,
          missing.size(),
          size,
          deadline.elapsedNs() / 1_000_000_000,
          deadline.budgetNs() / 1_000_000_000,
          named(missing));
    }
  }

  private List<Integer> missing() {
    return IntStream.range(0, size).filter(this::isMissing).boxed().toList();
  }

  private boolean isMissing(int other) {
    return store.get(Integer.toString(other)).isEmpty();
  }

  private String absent(List<Integer> missing, Deadline deadline) {
    return "%s: %s of %s ranks did not come within %s ms: %s. Look at their output, and %s"
        .formatted(
            occasion, missing.size(), size, deadline.budgetNs() / 1_000_000, named(missing), fix);
  }

  /** {@code rank 3}, {@code ranks 3, 5}. */
  private static String named(List<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ")
        + ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
