// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.math.IntMath;
import java.math.RoundingMode;

/**
 * Who exchanges with whom in recursive doubling among {@code clusters} clusters.
 *
 * <p>In round r, clusters 2^r places apart exchange what they have, so that each then has what
 * 2^(r+1) neighbours had. Where the clusters are no power of two, as many pairs as there are too
 * many begin by one leaving its part to the other, the <em>speaker</em>, and end by getting the
 * result from it. Pairs are neighbours, and so the operands of every combination are, too: their
 * order needs no commutative operator (Thakur, Rabenseifner, Gropp: Optimization of Collective
 * Communication Operations in MPICH, IJHPCA 19(1), 2005).
 */
record Doubling(int clusters) {
  /** Rounds in which all speakers exchange. */
  int rounds() {
    return IntMath.log2(clusters, RoundingMode.FLOOR);
  }

  /** Messages one after the other until the last cluster has the result. */
  int hops() {
    return rounds() + (pairs() > 0 ? 2 : 0);
  }

  /** Combinations one after the other until the result is there. */
  int folds() {
    return rounds() + (pairs() > 0 ? 1 : 0);
  }

  /** Whether {@code cluster} speaks for the next one, too. */
  boolean speaksForNext(int cluster) {
    return cluster < 2 * pairs() && cluster % 2 == 0;
  }

  /** Whether the cluster before {@code cluster} speaks for it. */
  boolean isSpokenFor(int cluster) {
    return cluster < 2 * pairs() && cluster % 2 == 1;
  }

  /** The speaker that {@code speaker} exchanges with in {@code round}, from 0. */
  int partner(int speaker, int round) {
    int place = speaker < 2 * pairs() ? speaker / 2 : speaker - pairs();
    int partner = place ^ (1 << round);
    return partner < pairs() ? 2 * partner : partner + pairs();
  }

  /** Clusters beyond a power of two. */
  private int pairs() {
    return clusters - (1 << rounds());
  }
}
