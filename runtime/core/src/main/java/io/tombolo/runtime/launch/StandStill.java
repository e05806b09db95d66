// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableSet;
import java.util.Map;

/**
 * Notices that no rank is left that could go on, or report that others do not: all have been
 * stopped by a signal.
 *
 * <p>Once is not enough: a launcher that was stopped together with its ranks, by Ctrl-Z, may be
 * continued a moment before them. Not thread-safe.
 */
final class StandStill {
  private boolean before;

  /**
   * Looks once more.
   *
   * @param stopped by rank, for those that live, whether it is stopped
   * @return all of them, if they were all stopped at the last look too; else nobody
   */
  ImmutableSet<Integer> look(Map<Integer, Boolean> stopped) {
    boolean all = !stopped.isEmpty() && !stopped.containsValue(false);
    boolean again = all && before;
    before = all;
    return again ? ImmutableSet.copyOf(stopped.keySet()) : ImmutableSet.of();
  }
}
