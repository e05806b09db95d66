// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.CorruptException;
import java.util.Comparator;
import java.util.List;

/**
 * The number of one attempt to have a verdict decided; no two ranks have the same. In the store it
 * is text: {@code 3.1}.
 *
 * @param round how many attempts this rank knew of, with this one
 * @param rank whose attempt it is
 */
record Ballot(int round, int rank) implements Comparable<Ballot> {
  /** Below all others. */
  static final Ballot NONE = new Ballot(0, -1);

  private static final Comparator<Ballot> ORDER =
      Comparator.comparingInt(Ballot::round).thenComparingInt(Ballot::rank);

  /** The least one of {@code nextRank} above this. */
  Ballot next(int nextRank) {
    return new Ballot(round + 1, nextRank);
  }

  /** The greater of the two. */
  Ballot max(Ballot other) {
    return compareTo(other) >= 0 ? this : other;
  }

  String text() {
    return round + "." + rank;
  }

  static Ballot parse(String text) {
    List<String> parts = Splitter.on('.').splitToList(text);
    Integer round = parts.size() == 2 ? Ints.tryParse(parts.get(0)) : null;
    Integer rank = parts.size() == 2 ? Ints.tryParse(parts.get(1)) : null;
    if (round == null || rank == null || round < 0 || rank < -1) {
      throw new CorruptException("'" + text + "' stands in an acceptor where a ballot should");
    }
    return new Ballot(round, rank);
  }

  @Override
  public int compareTo(Ballot other) {
    return ORDER.compare(this, other);
  }
}
