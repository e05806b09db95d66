// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import java.util.Arrays;

/**
 * Which rails the receiver misses stripes on: those over which later stripes of another rail have
 * overtaken the oldest one, though its channel is open and no copy holds it up. A rail that stands
 * still itself is no witness against another: then rails are not the cause.
 */
final class Overdue {
  /** Between two words on what is expected and does not come. */
  private static final long IMPATIENCE_NS = 1_000_000_000;

  private final RailChannels channels;
  private final Stripes receives;
  private final long[] arrivedBefore;
  private long saidNs;

  Overdue(RailChannels channels, Stripes receives, int rails) {
    this.channels = channels;
    this.receives = receives;
    arrivedBefore = new long[rails];
  }

  /** A new epoch begins. */
  void restart(long nowNs) {
    saidNs = nowNs;
    Arrays.fill(arrivedBefore, 0);
  }

  /** Whether it is time to say something. */
  boolean isDue(long nowNs) {
    boolean isDue = nowNs - saidNs > IMPATIENCE_NS;
    saidNs = isDue ? nowNs : saidNs;
    return isDue;
  }

  /** Whether a stripe that should be here has not come over {@code rail}. */
  boolean isMissing(int rail) {
    Rides its = receives.rides(rail);
    return !its.isEmpty()
        && channels.hasOpened(rail)
        && channels.isDrained(rail)
        && isOvertaken(its.oldest());
  }

  private boolean isOvertaken(long turn) {
    for (int other = 0; other < arrivedBefore.length; other++) {
      Rides rides = receives.rides(other);
      boolean works = rides.isEmpty() || rides.arrived() > arrivedBefore[other];
      if (works && rides.lastArrived() > turn) {
        return true;
      }
    }
    return false;
  }

  /** What has arrived until now has been said. */
  void remember() {
    for (int rail = 0; rail < arrivedBefore.length; rail++) {
      arrivedBefore[rail] = receives.rides(rail).arrived();
    }
  }
}
