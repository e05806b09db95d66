// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * What a path holds whose queue overflows before its delay tells: more lost in some round trips
 * than chance takes limits the window to what arrived in it. From time to time the limit is raised
 * for some round trips: if more arrives then, it stays, and is soon raised again; else it is what
 * it was (PCC, NSDI'15, learns by trial, too). So loss by chance that was taken for an overflow
 * costs some round trips only, and no more than a known part is lost in trying. Times nothing: its
 * user says when a round trip ends.
 */
final class OverflowLimit {
  private enum Phase {
    OPEN,
    SETTLING,
    HOLDING,
    RAISING,
    TRYING
  }

  /** Chance takes 20 %, and 30 % for a while; of as many chunks, seldom more than this. */
  private static final double OVERFLOW = 0.45;

  private static final int WATCHED_ROUNDS = 4;
  private static final int WATCHED_CHUNKS = 64;

  /** Of what arrived: a queue that has been full is to drain. */
  private static final double CARRIED = 0.9;

  private static final double RAISE = 1.25;

  /** The part of a raise that has to arrive. */
  private static final double GAIN = 0.6;

  private static final int SETTLING_ROUNDS = 2;
  private static final int LONGEST_SETTLING_ROUNDS = 10;
  private static final int TRYING_ROUNDS = 2;
  private static final int FIRST_REST_ROUNDS = 4;
  private static final int LONGEST_REST_ROUNDS = 64;

  private Phase phase = Phase.OPEN;
  private double limit = Double.POSITIVE_INFINITY;
  private double before;
  private double carried;
  private int restRounds = FIRST_REST_ROUNDS;
  private int rounds;
  private long carriedChunks;
  private int watchedRounds;
  private long arrived;
  private long lost;

  void onArrival(int chunks) {
    carriedChunks += chunks;
    arrived += chunks;
  }

  void onLoss() {
    lost++;
  }

  /** This process has stood still: what arrived meanwhile tells nothing of the path. */
  void forget() {
    limit = Double.POSITIVE_INFINITY;
    restRounds = FIRST_REST_ROUNDS;
    begin(Phase.OPEN);
  }

  /** The most chunks that may be in flight; infinite until something overflows. */
  double chunks() {
    return limit;
  }

  /**
   * A round trip has ended.
   *
   * @param full whether the window was as large as the limit
   * @return whether it has shown an overflow, and the limit is new
   */
  boolean endRound(boolean full) {
    rounds++;
    watchedRounds++;
    switch (phase) {
      case OPEN -> {
        return watch();
      }
      case SETTLING -> settle();
      case HOLDING -> {
        if (watch()) {
          return true;
        }
        hold(full);
      }
      case RAISING -> next(Phase.TRYING, rounds >= SETTLING_ROUNDS);
      case TRYING -> attempt();
    }
    return false;
  }

  /** Several round trips: what was lost in one is often noticed in the next, and all at once. */
  private boolean watch() {
    if (watchedRounds < WATCHED_ROUNDS || arrived + lost < WATCHED_CHUNKS) {
      return false;
    }
    boolean overflows = lost > OVERFLOW * (arrived + lost);
    if (overflows) {
      limit = Math.max(CARRIED * arrived / watchedRounds, phase == Phase.OPEN ? 0 : limit / 2);
      restRounds = FIRST_REST_ROUNDS;
      begin(Phase.SETTLING);
    }
    watchedRounds = 0;
    arrived = 0;
    lost = 0;
    return overflows;
  }

  /** What was sent before is still being found lost, and keeps the window from being used. */
  private void settle() {
    boolean calm = lost <= OVERFLOW * (arrived + lost);
    next(Phase.HOLDING, rounds >= (calm ? SETTLING_ROUNDS : LONGEST_SETTLING_ROUNDS));
    arrived = 0;
    lost = 0;
  }

  private void hold(boolean full) {
    if (!full) { // delay, or having nothing to send, keeps it below: nothing is known of the limit
      rounds = 0;
      carriedChunks = 0;
    } else if (rounds >= restRounds) {
      carried = (double) carriedChunks / rounds;
      before = limit;
      limit *= RAISE;
      begin(Phase.RAISING);
    }
  }

  private void attempt() {
    if (rounds < TRYING_ROUNDS) {
      return;
    }
    if ((double) carriedChunks / rounds < carried * (1 + GAIN * (RAISE - 1))) {
      limit = before;
      restRounds = Math.min(2 * restRounds, LONGEST_REST_ROUNDS);
      begin(Phase.SETTLING);
    } else {
      restRounds = 1;
      begin(Phase.HOLDING);
    }
  }

  private void next(Phase following, boolean over) {
    if (over) {
      begin(following);
    }
  }

  private void begin(Phase newPhase) {
    phase = newPhase;
    rounds = 0;
    carriedChunks = 0;
    watchedRounds = 0;
    arrived = 0;
    lost = 0;
  }
}
