// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * By how much a window moves in a round trip. Steps grow with the root of the window, so that flows
 * of different size come together; they double while the direction stays, and end at half of the
 * way.
 */
class WindowSteps {
  private static final double STEP = 0.35;

  /** Steps in a direction before they double (Copa, NSDI'18 §2.2). */
  private static final int STEPS_BEFORE_HASTE = 2;

  /** Of the window. */
  private static final double LONGEST = 0.25;

  /** Of what the window is too large (Swift, SIGCOMM'20 §3.1). */
  private static final double FALL = 0.2;

  /** Of what stands in the queue: that this is gone shows one to two round trips later (FAST). */
  private static final double DRAINED = 0.5;

  /** Near where it has overflowed a window grows by this part of its root. */
  private static final double SLOW = 0.125;

  /** Far enough above where it has overflowed to forget that. */
  private static final double FORGOTTEN = 1.25;

  /** Round trips after a cut in which it does not grow. */
  private static final int REST_ROUNDS = 16;

  /**
   * Before the next overflow of a crowded queue so many chunks are sent: three lost ones prove it,
   * so that few are repeats.
   */
  private static final int CROWDED_REST_CHUNKS = 1536;

  /** A small window rests no longer: others would get what it does not. */
  private static final int LONGEST_REST_ROUNDS = 192;

  private boolean growing;
  private int sameWay;
  private double step;
  private double overflowedAt;
  private int restRounds;

  /** By how much a window of {@code chunks} moves that would be fair as {@code fairChunks}. */
  double next(double chunks, double fairChunks, double queuedChunks) {
    boolean grow = fairChunks > chunks;
    double first = STEP * Math.sqrt(chunks);
    sameWay = grow == growing ? sameWay + 1 : 0;
    growing = grow;
    step = sameWay == 0 ? first : sameWay > STEPS_BEFORE_HASTE ? 2 * step : step;
    step = Math.min(Math.max(first, step), LONGEST * chunks);
    double by = Math.min(step, Math.max(first, Math.abs(fairChunks - chunks) / 2));
    return grow
        ? growth(chunks, by)
        : -Math.max(by, Math.min(FALL * (chunks - fairChunks), DRAINED * queuedChunks));
  }

  private double growth(double chunks, double by) {
    if (chunks > FORGOTTEN * overflowedAt) {
      overflowedAt = 0;
      return by;
    }
    if (restRounds > 0) {
      restRounds--;
      return 0;
    }
    return Math.min(by, SLOW * Math.sqrt(chunks));
  }

  /** No queue had overflowed. */
  void forgetOverflow() {
    overflowedAt = 0;
    restRounds = 0;
  }

  /**
   * A queue has overflowed at a window of {@code chunks}, which is being cut. A {@code crowded} one
   * is filled by others, too, whatever this flow does.
   */
  void onOverflow(double chunks, boolean crowded) {
    onMarks(chunks);
    double rounds = Math.min(CROWDED_REST_CHUNKS / chunks, LONGEST_REST_ROUNDS);
    restRounds = crowded ? (int) Math.max(rounds, REST_ROUNDS) : REST_ROUNDS;
  }

  /** The queue is not filled by others any more. */
  void endCrowd() {
    restRounds = Math.min(restRounds, REST_ROUNDS);
  }

  /** A queue marks packets at a window of {@code chunks}: near it, growth is slow. */
  void onMarks(double chunks) {
    overflowedAt = chunks;
    growing = false;
    sameWay = 0;
    step = STEP * Math.sqrt(chunks);
  }
}
