// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.primitives.ImmutableLongArray;
import java.util.stream.LongStream;

/**
 * Which members of a cluster carry its traffic with other clusters, and how much of it: each in
 * proportion to its weight. A member without weight is no relay.
 */
public final class Relays {
  private final ImmutableLongArray before;
  private final boolean even;
  private final int leader;

  private Relays(ImmutableLongArray before, boolean even) {
    this.before = before;
    this.even = even;
    this.leader = findLeader();
  }

  /**
   * Relays by member position.
   *
   * @throws IllegalArgumentException if a weight is negative or none is positive
   */
  public static Relays weighted(long... weights) {
    ImmutableLongArray.Builder before = ImmutableLongArray.builder(weights.length + 1);
    long total = 0;
    for (long weight : weights) {
      checkArgument(weight >= 0, "a weight is not negative: %s", weight);
      before.add(total);
      total += weight;
    }
    checkArgument(total > 0, "a cluster needs a relay");
    boolean even = LongStream.of(weights).allMatch(weight -> weight == weights[0]);
    return new Relays(before.add(total).build(), even);
  }

  /** All {@code members} relay alike. */
  public static Relays all(int members) {
    return weighted(LongStream.range(0, members).map(member -> 1).toArray());
  }

  /** Only the member at {@code position} relays. */
  public static Relays only(int position, int members) {
    return weighted(
        LongStream.range(0, members).map(member -> member == position ? 1 : 0).toArray());
  }

  int members() {
    return before.length() - 1;
  }

  /** Whether all members relay alike. */
  boolean even() {
    return even;
  }

  /** The first of the members that carry most. */
  int leader() {
    return leader;
  }

  private int findLeader() {
    int first = 0;
    for (int position = 1; position < members(); position++) {
      first = weight(position) > weight(first) ? position : first;
    }
    return first;
  }

  long weight(int position) {
    return before.get(position + 1) - before.get(position);
  }

  /** The weights of all members before {@code position} together. */
  long weightBefore(int position) {
    return before.get(position);
  }

  long totalWeight() {
    return before.get(members());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Relays that && before.equals(that.before);
  }

  @Override
  public int hashCode() {
    return before.hashCode();
  }

  /** The weights, equal neighbours together: {@code 1*8:0*56}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    int from = 0;
    for (int position = 1; position <= members(); position++) {
      if (position == members() || weight(position) != weight(from)) {
        text.append(from == 0 ? "" : ":").append(weight(from)).append('*').append(position - from);
        from = position;
      }
    }
    return text.toString();
  }
}
