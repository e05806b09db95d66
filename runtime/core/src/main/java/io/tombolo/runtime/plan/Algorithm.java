// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Locale;

/** How data goes between clusters. */
public enum Algorithm {
  /** Through all relays, in pieces: moves the least. */
  PIECES,
  /** Through one relay of each cluster, whole, in one round: takes the fewest rounds. */
  DIRECT,
  /**
   * Through one relay of each cluster, whole, in rounds that each join twice as many clusters: for
   * all_reduce, takes the fewest messages of one after the other.
   */
  DOUBLING;

  /** The algorithms that calls of {@code collective} can take. */
  public static ImmutableList<Algorithm> of(Collective collective) {
    return Arrays.stream(values())
        .filter(each -> each.serves(collective))
        .collect(toImmutableList());
  }

  /** Whether calls of {@code collective} can take it. */
  public boolean serves(Collective collective) {
    return collective.algorithms().contains(this);
  }

  /** The name used in tuning lines and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
