// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One rank waits for all others, and says who is missing: now and then, and in the end. */
final class RollCall {
  private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);

  /** How often it says so. */
  private static final Duration ROUND = Duration.ofSeconds(10);

  /** For what came just before the end. */
  private static final long LEAST_NS = 10_000_000;

  private final Store store;
  private final int size;
  private final Occasion occasion;

  /** Of ranks 0 … size-1, which come by setting their numbers in {@code store}. */
  RollCall(Store store, int size, Occasion occasion) {
    this.store = store;
    this.size = size;
    this.occasion = occasion;
  }

  /** Returns when all have come; a {@link DeadlineExceededException} names those that did not. */
  void await(Deadline deadline) {
    List<String> keys = IntStream.range(0, size).mapToObj(Integer::toString).toList();
    while (true) {
      long waitNs = Math.max(LEAST_NS, Math.min(ROUND.toNanos(), deadline.remainingNs()));
      try {
        store.awaitAll(keys, Deadline.after(Duration.ofNanos(waitNs)));
        return;
      } catch (DeadlineExceededException e) {
        List<Integer> missing = missing();
        if (!missing.isEmpty() && deadline.isExpired()) {
          throw new DeadlineExceededException(occasion.absent(missing, size, deadline), e);
        }
        LOG.info("{}", occasion.progress(missing, size, deadline));
      }
    }
  }

  private List<Integer> missing() {
    return IntStream.range(0, size)
        .filter(other -> store.get(Integer.toString(other)).isEmpty())
        .boxed()
        .toList();
  }
}
