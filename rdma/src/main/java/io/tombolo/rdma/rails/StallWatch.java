// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * Finds the rail over which nothing arrives, from what the receiver {@linkplain Overdue misses}. So
 * neither a receiver that expects nothing, nor one whose process stands still, looks like a dead
 * rail.
 */
final class StallWatch {
  /** So often, one after the other, the receiver must have missed the same stripe. */
  private static final int STRIKES = 5;

  /** Words that come together, for this process stood still, count once. */
  private static final long LEAST_GAP_NS = 500_000_000;

  private final long[] missed;
  private final int[] strikes;
  private long countedNs;

  StallWatch(int rails, long nowNs) {
    missed = new long[rails];
    strikes = new int[rails];
    countedNs = nowNs;
  }

  /** A new epoch begins. */
  void restart() {
    Arrays.fill(strikes, 0);
  }

  /** Whether a word that comes now counts. */
  boolean mayCount(long nowNs) {
    boolean may = nowNs - countedNs >= LEAST_GAP_NS;
    countedNs = may ? nowNs : countedNs;
    return may;
  }

  /**
   * Takes what the receiver says, and finds the rail of {@code live} that has stalled, if one has.
   * One that is not open here, or was given nothing, is excused.
   */
  OptionalInt onWord(ControlWord word, ByteBuffer ranges, Carriage carriage, int live) {
    word.checkRails(strikes.length);
    for (int rail = 0; rail < strikes.length; rail++) {
      long expected = ranges.getLong();
      long arrived = ranges.getLong();
      long given = carriage.sends().rides(rail).given();
      word.checkArrived(arrived, expected, given);
      onRail(
          rail,
          arrived,
          arrived < Math.min(expected, given) && carriage.channels().hasOpened(rail));
    }
    return stalled(live);
  }

  /** After {@code arrived} stripes over {@code rail} the next one is missing, or is not. */
  void onRail(int rail, long arrived, boolean isMissing) {
    boolean again = strikes[rail] > 0 && missed[rail] == arrived;
    strikes[rail] = isMissing ? (again ? strikes[rail] : 0) + 1 : 0;
    missed[rail] = arrived;
  }

  /** A rail of {@code live} that has stalled, if one has. */
  OptionalInt stalled(int live) {
    for (int rail = 0; rail < strikes.length; rail++) {
      if ((live & 1 << rail) != 0 && strikes[rail] >= STRIKES) {
        return OptionalInt.of(rail);
      }
    }
    return OptionalInt.empty();
  }
}
