// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Waits for one value from every rank, and says who is missing. */
final class RollCall {
  private RollCall() {}

  /**
   * The values that ranks 0 … size-1 set under their numbers in {@code store}.
   *
   * @param occasion what all came together for, for the error: {@code rendezvous}
   */
  static ImmutableList<byte[]> await(Store store, int size, String occasion, Deadline deadline) {
    List<String> keys = IntStream.range(0, size).mapToObj(Integer::toString).toList();
    try {
      return store.awaitAll(keys, deadline);
    } catch (DeadlineExceededException e) {
      List<String> missing = keys.stream().filter(key -> store.get(key).isEmpty()).toList();
      if (missing.isEmpty()) {
        throw e;
      }
      throw new DeadlineExceededException(absent(missing, size, occasion, store, deadline), e);
    }
  }

  private static String absent(
      List<String> missing, int size, String occasion, Store store, Deadline deadline) {
    String ranks = missing.stream().collect(Collectors.joining(", "));
    return ("%s: %d of %d ranks did not come within %d ms: %s. Look at their output, and check that they"
            + " run with WORLD_SIZE=%d and reach %s")
        .formatted(
            occasion,
            missing.size(),
            size,
            deadline.budgetNs() / 1_000_000,
            (missing.size() == 1 ? "rank " : "ranks ") + ranks,
            size,
            store.where());
  }
}
