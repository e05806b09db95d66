// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * The calls before those that are timed. All ranks make as many: a fixed number, or as many as rank
 * 0 finds that it takes for the medians to settle, of which the ranks tell each other through the
 * job's store. Not thread-safe.
 */
final class WarmUpCalls {
  private static final int DIGITS = 3;
  private static final String NEXT = "/next";

  /** Who hears from the store late comes late to the next call, and all wait for it there. */
  private static final int CALLS_AFTER_TALKING = 5;

  private final Store store;
  private final int rank;
  private final int size;
  private final Integer fixedCalls;
  private final Duration timeout;
  private int batch;
  private long madeCalls;

  /** {@code fixedCalls} calls each time, or until they settle if it is null. */
  WarmUpCalls(Store store, int rank, int size, Integer fixedCalls, Duration timeout) {
    this.store = store.within("bench-warm-up");
    this.rank = rank;
    this.size = size;
    this.fixedCalls = fixedCalls;
    this.timeout = timeout;
  }

  /** Runs {@code call} as often as it takes; the times of the first calls. */
  Histogram run(Runnable call) {
    if (fixedCalls != null) {
      Histogram first = batch(Math.min(fixedCalls, Settling.FIRST_CALLS), call);
      batch(fixedCalls - (int) first.getTotalCount(), call);
      return first;
    }
    Settling settling = new Settling(madeCalls);
    Histogram first = batch(Settling.FIRST_CALLS, call);
    int calls = next(settling, Settling.FIRST_CALLS, first);
    while (calls > 0) {
      calls = next(settling, calls, batch(calls, call));
    }
    batch(CALLS_AFTER_TALKING, call);
    return first;
  }

  private Histogram batch(int calls, Runnable call) {
    madeCalls += calls;
    Histogram times = new Histogram(DIGITS);
    for (int i = 0; i < calls; i++) {
      long startNs = System.nanoTime();
      call.run();
      times.recordValue(System.nanoTime() - startNs);
    }
    return times;
  }

  /** Calls of the next batch, the same on all ranks. */
  private int next(Settling settling, int calls, Histogram times) {
    Deadline deadline = Deadline.after(timeout);
    int current = batch++;
    store.set(current + "/" + rank, Longs.toByteArray(times.getValueAtPercentile(50)));
    if (rank != 0) {
      return Ints.fromByteArray(store.await(current + NEXT, deadline));
    }
    List<String> keys = IntStream.range(0, size).mapToObj(peer -> current + "/" + peer).toList();
    long slowestNs =
        store.awaitAll(keys, deadline).stream().mapToLong(Longs::fromByteArray).max().orElseThrow();
    keys.forEach(store::delete);
    store.delete((current - 1) + NEXT); // all who have told of this batch have read it
    int next = settling.next(calls, slowestNs);
    store.set(current + NEXT, Ints.toByteArray(next));
    return next;
  }
}
