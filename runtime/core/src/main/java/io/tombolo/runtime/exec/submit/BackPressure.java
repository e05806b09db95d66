// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.ResourceException;

/** Back-pressure: all places are taken, so the caller is held until the next one is left. */
final class BackPressure {
  private final int rank;
  private final Places places;
  private final CallerWaits waits;

  /** Of calls of {@code rank}. */
  BackPressure(int rank, Places places, CallerWaits waits) {
    this.rank = rank;
    this.places = places;
    this.waits = waits;
  }

  /**
   * Waits for {@code oldest}, which has the place that the next call is to have.
   *
   * @throws ResourceException if it has not ended by {@code limit}
   */
  void await(SubmittedOperation oldest, Deadline limit) {
    waits.awaitStubbornly(oldest, limit);
    if (!oldest.isDone()) {
      throw new ResourceException(
          ("rank %s: %s operations are under way, and the oldest has not ended within %s ms: %s;"
                  + " %s")
              .formatted(
                  rank,
                  places.count(),
                  limit.budgetNs() / 1_000_000,
                  oldest.describe(),
                  places.advice()));
    }
  }
}
