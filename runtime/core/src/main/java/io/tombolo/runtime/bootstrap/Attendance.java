// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * How far the ranks of a job have come together, as its store shows it to the launcher.
 *
 * @param outside ranks whose processes have not begun to join
 * @param joining ranks that are about to join
 */
public record Attendance(List<Integer> outside, List<Integer> joining) {

  /** Of {@code size} ranks, in the present round of {@code job}. */
  public static Attendance of(Store job, int size) {
    Store place = JobRound.current(job).in(job);
    return new Attendance(
        ranks(size, rank -> !hasClaim(place, rank)),
        ranks(size, rank -> hasClaim(place, rank) && Presence.of(place, rank).isEmpty()));
  }

  private static boolean hasClaim(Store place, int rank) {
    return place.get(JobRound.claimOf(rank)).isPresent();
  }

  private static List<Integer> ranks(int size, IntPredicate which) {
    return IntStream.range(0, size).filter(which).boxed().toList();
  }

  /** Whom the ranks wait for, in words; nothing if no rank is joining. */
  public Optional<String> waiting() {
    if (joining.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "ranks "
            + joining
            + " are joining"
            + (outside.isEmpty() ? "" : ", and ranks " + outside + " have not come yet"));
  }
}
