// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;

/**
 * Barriers through the store, which say who is missing: they work where devices and channels do
 * not. All ranks meet equally often; one thread at a time.
 */
public final class Meetings {
  private static final String VERDICT = "verdict";
  private static final byte[] HERE = {1};

  private final Store store;
  private final int rank;
  private final int size;
  private int met;

  /** Meetings of {@code size} ranks in a place of {@code store} that is theirs alone. */
  public Meetings(Store store, int rank, int size) {
    this.store = store;
    this.rank = rank;
    this.size = size;
  }

  /**
   * Blocks until all ranks have come. Rank 0 waits for at most {@code limit}; the others for twice
   * as long, as it may come last.
   *
   * @throws DeadlineExceededException on all ranks, naming those that did not come
   */
  public void meet(Duration limit) {
    Store place = store.within(Integer.toString(met++));
    place.set(Integer.toString(rank), HERE);
    if (rank == 0) {
      call(place, limit);
    } else {
      hear(place, limit);
    }
    place.delete(Integer.toString(rank));
  }

  private void call(Store place, Duration limit) {
    try {
      new RollCall(place, size, Occasion.ofJob("barrier", store, size))
          .await(Deadline.after(limit));
    } catch (DeadlineExceededException e) {
      place.set(VERDICT, e.getMessage().getBytes(UTF_8));
      throw e;
    }
    place.set(VERDICT, new byte[0]);
    store.delete((met - 2) + "/" + VERDICT); // all have come here, so none reads the last one
  }

  private void hear(Store place, Duration limit) {
    byte[] verdict;
    try {
      verdict = place.await(VERDICT, Deadline.after(limit.multipliedBy(2)));
    } catch (DeadlineExceededException e) {
      throw new DeadlineExceededException(
          "barrier: rank %s heard nothing of rank 0 within %s ms; look at the output of rank 0"
              .formatted(rank, 2 * limit.toMillis()),
          e);
    }
    if (verdict.length > 0) {
      throw new DeadlineExceededException(new String(verdict, UTF_8));
    }
  }
}
