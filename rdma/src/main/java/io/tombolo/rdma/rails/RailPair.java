// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A rail of ours and one of the peer's that stripes travel between.
 *
 * @param ours which of this side's rails
 * @param theirs which of the peer's
 * @param weight the lesser of their rates; 1 if it is not known of all pairs
 */
record RailPair(int ours, int theirs, int weight) {
  static final int NOBODY = -1;

  /**
   * The pairs of two sides, in the order that both sides find. NICs of one name are on one network
   * where networks are built by rails, and addresses do not always show that others are apart; so
   * these are paired first, then those of one place in the list.
   *
   * @param weAreFirst whether the order is that of our rails, not the peer's
   */
  static ImmutableList<RailPair> between(
      List<Rail> ours, List<RailsAddress.Entry> theirs, boolean weAreFirst) {
    Match names = (i, j) -> ours.get(i).nic().equals(theirs.get(j).nic());
    Match reach = (i, j) -> ours.get(i).fabric().reaches(theirs.get(j).address());
    int[] partners =
        weAreFirst
            ? partners(ours.size(), theirs.size(), names, reach)
            : partners(theirs.size(), ours.size(), names.turned(), reach.turned());
    ImmutableList.Builder<RailPair> pairs = ImmutableList.builder();
    for (int i = 0; i < partners.length; i++) {
      if (partners[i] != NOBODY) {
        int our = weAreFirst ? i : partners[i];
        int their = weAreFirst ? partners[i] : i;
        int weight =
            Math.min(ours.get(our).megabytesPerSecond(), theirs.get(their).megabytesPerSecond());
        pairs.add(new RailPair(our, their, weight));
      }
    }
    return weighed(pairs.build());
  }

  /**
   * The partner of each rail of the first side among those of the second, or {@link #NOBODY}. A
   * side of one rail publishes no name, so there the names say nothing that both sides know.
   */
  static int[] partners(int first, int second, Match names, Match reach) {
    int[] partners = new int[first];
    Arrays.fill(partners, NOBODY);
    boolean[] taken = new boolean[second];
    if (first > 1 && second > 1) {
      pair(partners, taken, (i, j) -> names.test(i, j) && reach.test(i, j));
    }
    pair(partners, taken, (i, j) -> i == j && reach.test(i, j));
    pair(partners, taken, reach);
    return partners;
  }

  private static void pair(int[] partners, boolean[] taken, Match match) {
    for (int i = 0; i < partners.length; i++) {
      for (int j = 0; j < taken.length && partners[i] == NOBODY; j++) {
        if (!taken[j] && match.test(i, j)) {
          partners[i] = j;
          taken[j] = true;
        }
      }
    }
  }

  /** What is not known of one cannot be weighed against the others. */
  private static ImmutableList<RailPair> weighed(ImmutableList<RailPair> pairs) {
    return pairs.stream().allMatch(pair -> pair.weight > 0)
        ? pairs
        : pairs.stream()
            .map(pair -> new RailPair(pair.ours, pair.theirs, 1))
            .collect(ImmutableList.toImmutableList());
  }

  /** Puts it behind a {@link ControlWord}. */
  void write(ByteBuffer out) {
    out.putInt(ours).putInt(theirs).putLong(weight);
  }

  /** Whether the peer has put the same into {@code in}, seen from its side. */
  boolean isAlsoIn(ByteBuffer in) {
    int first = in.getInt();
    int second = in.getInt();
    long said = in.getLong();
    return first == theirs && second == ours && said == weight;
  }

  /** Whether a rail of the first side and one of the second fit. */
  interface Match {
    boolean test(int first, int second);

    /** The same with the sides exchanged. */
    default Match turned() {
      return (i, j) -> test(j, i);
    }
  }
}
