// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The keys that one slot was handed out under, and when each of these lives ended: a ring of as
 * many as the narrowest keys can tell apart (providers step a tag of 8 bits).
 */
final class KeyHistory {
  private static final int LIVES = 256;

  private final int[] keys = new int[LIVES];
  private final long[] endedNs = new long[LIVES];
  private long lives;

  /** A life under {@code key} has ended by {@code nowNs}. */
  void end(int key, long nowNs) {
    keys[at(lives)] = key;
    endedNs[at(lives)] = nowNs;
    lives++;
  }

  /**
   * When no write that was meant for an earlier life under {@code key} can be under way any more,
   * if none is for longer than {@code packetLifeNs}. What the ring has forgotten may have had any
   * key, so its oldest entry has to be old enough in any case.
   */
  long freeFromNs(int key, long packetLifeNs) {
    long freeNs = lives < LIVES ? Moment.NOW : endedNs[at(lives)] + packetLifeNs;
    for (long life = Math.max(0, lives - LIVES); life < lives; life++) {
      if (keys[at(life)] == key) {
        freeNs = Math.max(freeNs, endedNs[at(life)] + packetLifeNs);
      }
    }
    return freeNs;
  }

  private static int at(long life) {
    return (int) life & (LIVES - 1);
  }
}
