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
  private final Lane all;
  private final long body;

  /**
   * Shares of {@code all}.
   *
   * @param unit the body is a multiple of this, itself a multiple of the cluster's size
   */
  Shares(Relays relays, Lane all, long unit) {
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

  Lane all() {
    return all;
  }

  /** The elements that go through equal-shard primitives. */
  Lane body() {
    return new Lane(all.start(), all.start() + body);
  }

  /** The elements after the body. */
  Lane tail() {
    return new Lane(all.start() + body, all.end());
  }

  /** The equal shard of the body that the member at {@code position} holds. */
  Lane shard(int position) {
    long share = body / members();
    return new Lane(all.start() + share * position, all.start() + share * (position + 1));
  }

  /** All that the member at {@code position} answers for. */
  Lane owned(int position) {
    if (!relays.even()) {
      return new Lane(cut(position), cut(position + 1));
    }
    Lane shard = shard(position);
    return position == members() - 1 ? new Lane(shard.start(), all.end()) : shard;
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
  ImmutableList<Part> partsOf(Lane lane) {
    ImmutableList.Builder<Part> parts = ImmutableList.builder();
    long reached = lane.start();
    while (reached < lane.end()) {
      int position = relay(reached);
      Lane part = owned(position).meet(new Lane(reached, lane.end()));
      parts.add(new Part(position, part));
      reached = part.end();
    }
    return parts.build();
  }

  /** What the member at {@code position} answers for of some lane. */
  record Part(int position, Lane lane) {}

  private long cut(int position) {
    return all.start()
        + Math.multiplyExact(all.length(), relays.weightBefore(position)) / relays.totalWeight();
  }
}
