// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * The vendor calls that take a cluster's elements to its relays and back.
 *
 * <p>Where all members relay alike: reduce-scatter and all-gather for the body, reduce to and
 * broadcast from the last member for the tail. Else a reduce to, and a broadcast from, each relay.
 */
record Inside(Cluster cluster, int position, ReduceOp op) {

  /** Reduces everyone's {@code from} so that each relay finds its part of it at {@code to}. */
  List<Integer> reduce(
      SegmentBuilder steps,
      Shares shares,
      Function<Interval, Range> from,
      Function<Interval, Range> to,
      Collection<Integer> after) {
    List<Integer> done = new ArrayList<>();
    if (!shares.body().isEmpty()) {
      Range shard = to.apply(shares.shard(position));
      done.add(call(steps, Primitive.REDUCE_SCATTER, from.apply(shares.body()), shard, 0, after));
    }
    for (Shares.Part rest : rest(shares)) {
      Range all = to.apply(rest.lane());
      done.add(reduceTo(steps, rest.position(), from.apply(rest.lane()), all, after));
    }
    return done;
  }

  /** Gives everyone at {@code place} what each relay has there of its part. */
  List<Integer> gather(
      SegmentBuilder steps,
      Shares shares,
      Function<Interval, Range> place,
      Collection<Integer> after) {
    List<Integer> done = new ArrayList<>();
    if (!shares.body().isEmpty()) {
      Range shard = place.apply(shares.shard(position));
      done.add(call(steps, Primitive.ALL_GATHER, shard, place.apply(shares.body()), 0, after));
    }
    for (Shares.Part rest : rest(shares)) {
      Range all = place.apply(rest.lane());
      done.add(broadcastFrom(steps, rest.position(), all, all, after));
    }
    return done;
  }

  /** Reduces everyone's {@code from} to {@code to} at the member at {@code root}. */
  int reduceTo(SegmentBuilder steps, int root, Range from, Range to, Collection<Integer> after) {
    return call(steps, Primitive.REDUCE, from, position == root ? to : nothing(to), root, after);
  }

  /** Gives everyone at {@code to} what the member at {@code root} has at {@code from}. */
  int broadcastFrom(
      SegmentBuilder steps, int root, Range from, Range to, Collection<Integer> after) {
    return call(steps, Primitive.BROADCAST, position == root ? from : nothing(to), to, root, after);
  }

  int call(
      SegmentBuilder steps,
      Primitive primitive,
      Range input,
      Range output,
      int root,
      Collection<Integer> after) {
    return steps.add(new Action.IntraCall(primitive, input, output, op, root), after);
  }

  /** What equal-shard primitives do not serve, by the relay that answers for it. */
  private static List<Shares.Part> rest(Shares shares) {
    return shares.partsOf(shares.tail());
  }

  private static Range nothing(Range at) {
    return new Range(at.space(), at.offset(), 0);
  }
}
