// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;

/**
 * How one cluster divides a stretch of elements among its relays.
 *
 * <p>If all members relay alike, vendors' equal-shard primitives serve: the stretch is cut into a
 * <em>body</em>, a multiple of the unit, shared equally, and a <em>tail</em>, which the last member
 * adds to its shard. Otherwise each relay answers for a part in proportion to its weight, and
 * reductions to it and broadcasts from it take their place.
 */
final class Shares {
  private final Relays relays;
  private final Interval all;
  private final long body;

  /**
   * Shares of {@code all}.
   *
   * @param unit the body is a multiple of this, itself a multiple of the cluster's size
   */
  Shares(Relays relays, Interval all, long unit) {
    this.relays = relays;
    this.all = all;
    this.body = !relays.even() || unit > all.length() ? 0 : all.length() / unit * unit;
  }

  boolean even() {
    return relays.even();
  }

  int members() {
    return relays.members();
  }

  Interval all() {
    return all;
  }

  /** The elements that go through equal-shard primitives. */
  Interval body() {
    return new Interval(all.start(), all.start() + body);
  }

  /** The elements after the body. */
  Interval tail() {
    return new Interval(all.start() + body, all.end());
  }

  /** The equal shard of the body that the member at {@code position} holds. */
  Interval shard(int position) {
    long share = body / members();
    return new Interval(all.start() + share * position, all.start() + share * (position + 1));
  }

  /** All that the member at {@code position} answers for. */
  Interval owned(int position) {
    if (!relays.even()) {
      return new Interval(cut(position), cut(position + 1));
    }
    Interval shard = shard(position);
    return position == members() - 1 ? new Interval(shard.start(), all.end()) : shard;
  }

  /** The position of the member that answers for the element at {@code offset}. */
  int relay(long offset) {
    int low = 0;
    int high = members() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (owned(middle).end() > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The positions whose parts meet {@code lane}, with what they have in common. */
  ImmutableList<Part> partsOf(Interval lane) {
    ImmutableList.Builder<Part> parts = ImmutableList.builder();
    long reached = lane.start();
    while (reached < lane.end()) {
      int position = relay(reached);
      Interval part = owned(position).meet(new Interval(reached, lane.end()));
      parts.add(new Part(position, part));
      reached = part.end();
    }
    return parts.build();
  }

  /** What the member at {@code position} answers for of some lane. */
  record Part(int position, Interval lane) {}

  private long cut(int position) {
    return all.start()
        + Math.multiplyExact(all.length(), relays.weightBefore(position)) / relays.totalWeight();
  }
}
