// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * One segment of a reduce-scatter: the all-gather backwards.
 *
 * <p>What is foreign to a cluster is reduced inside it, shared out among its relays, and each part
 * leaves once, straight to the rank whose block it is in. That rank folds the clusters' partial
 * blocks in ascending order.
 */
final class ReduceScatterSegment implements Segment {
  private final CollectiveCall call;
  private final Grouping grouping;
  private final Buffers buffers;
  private final Inside inside;
  private final Cluster mine;
  private final int rank;
  private final BlockWindow window;
  private final Packed foreign;
  private final Packed own;
  private final Shares shares;
  private final Interval owned;
  private final long length;
  private final boolean settles;

  private final List<Integer> ownReady = new ArrayList<>();
  private final List<Integer> arrived = new ArrayList<>();
  private final List<Integer> folded = new ArrayList<>();

  ReduceScatterSegment(Journey journey, BlockWindow window) {
    this.call = journey.call();
    this.grouping = journey.grouping();
    this.buffers = journey.buffers();
    this.inside = journey.inside();
    this.mine = journey.mine();
    this.rank = journey.rank();
    this.window = window;
    this.foreign = foreignTo(mine);
    this.own =
        new Packed(
            window, grouping.size(), each -> grouping.clusterOf(each).index() == mine.index());
    this.shares = shares(mine, foreign);
    this.owned = shares.owned(inside.position());
    this.length = window.length(rank);
    this.settles = settles();
  }

  /** Whether the device combines this rank's block where it belongs, and can be given all of it. */
  private boolean settles() {
    return length > 0
        && grouping.clusters().size() > 1
        && call.combinesOnDevice(length)
        && grouping.clusters().stream()
            .filter(other -> other.index() != mine.index())
            .allMatch(other -> parts(other).stream().allMatch(part -> landsOnScratch(other, part)));
  }

  private boolean landsOnScratch(Cluster other, Shares.Part part) {
    return call.reach().receivesInto(Space.SCRATCH, other.rank(part.position()));
  }

  /** Which relays of {@code other} send what of this rank's block. */
  private List<Shares.Part> parts(Cluster other) {
    Packed theirs = foreignTo(other);
    return shares(other, theirs).partsOf(theirs.place(rank));
  }

  private Packed foreignTo(Cluster cluster) {
    return new Packed(
        window, grouping.size(), each -> grouping.clusterOf(each).index() != cluster.index());
  }

  private Shares shares(Cluster cluster, Packed foreigners) {
    return new Shares(grouping.relays(cluster), foreigners.all(), cluster.size());
  }

  /** The foreign part on its way out, then one partial block from each cluster. */
  @Override
  public long stageElements() {
    return owned.length() + length * grouping.clusters().size();
  }

  @Override
  public long scratchElements() {
    return scratchInside() + (settles ? length * grouping.clusters().size() : 0);
  }

  private long scratchInside() {
    return mine.size() == 1 ? 0 : foreign.all().length() + own.all().length();
  }

  @Override
  public void start(SegmentBuilder steps) {
    sendForeign(steps);
    reduceOwn(steps);
    for (Cluster other : grouping.clusters()) {
      if (other.index() != mine.index()) {
        long block = foreignTo(other).place(rank).start();
        for (Shares.Part part : parts(other)) {
          Range to = received(steps, other, part.lane().start() - block, part.lane().length());
          int relay = other.rank(part.position());
          arrived.add(steps.add(new Action.Receive(relay, to, window.start()), List.of()));
        }
      }
    }
  }

  /** Where a part of the partial block of cluster {@code from} is received. */
  private Range received(SegmentBuilder steps, Cluster from, long at, long elements) {
    return settles
        ? steps.scratch(scratchInside() + from.index() * length + at, elements)
        : steps.stage(partial(from) + at, elements);
  }

  private void sendForeign(SegmentBuilder steps) {
    if (foreign.all().isEmpty()) {
      return;
    }
    List<Integer> reduced = mine.size() == 1 ? List.of() : reduceForeign(steps);
    for (Packed.Part part : foreign.parts(owned)) {
      Range from =
          mine.size() == 1 ? input(part) : steps.scratch(part.lane().start(), part.lane().length());
      if (call.reach().sendsFrom(from.space(), part.rank()) && !isScaled()) {
        steps.add(new Action.Send(part.rank(), from, window.start()), reduced);
      } else {
        Range staged = steps.stage(part.lane().start() - owned.start(), part.lane().length());
        int ready = scaled(steps, staged, steps.add(new Action.Copy(from, staged), reduced));
        steps.add(new Action.Send(part.rank(), staged, window.start()), List.of(ready));
      }
    }
  }

  private List<Integer> reduceForeign(SegmentBuilder steps) {
    List<Integer> ready = new ArrayList<>();
    if (!foreign.isContiguous()) {
      pack(steps, foreign, 0, ready);
    }
    return inside.reduce(
        steps,
        shares,
        lane ->
            foreign.isContiguous()
                ? buffers.in(foreign.at() + lane.start(), lane.length())
                : steps.scratch(lane.start(), lane.length()),
        lane -> steps.scratch(lane.start(), lane.length()),
        ready);
  }

  /** Brings the own cluster's part of this rank's block to where it is combined. */
  private void reduceOwn(SegmentBuilder steps) {
    List<Integer> reduced = new ArrayList<>();
    if (mine.size() > 1) {
      reduced.addAll(own.isEven(mine.size()) ? reduceEven(steps) : reduceUneven(steps));
    }
    if (settles) {
      ownReady.addAll(reduced);
    } else if (length > 0 && (mine.size() == 1 || needsHost())) {
      Range staged = steps.stage(partial(mine), length);
      ownReady.add(scaled(steps, staged, steps.add(new Action.Copy(source(), staged), reduced)));
    }
  }

  /** Where on the device the own cluster's part is. */
  private Range source() {
    return mine.size() == 1 ? buffers.in(window.at(rank), length) : home();
  }

  private Range home() {
    return buffers.out(window.before(rank), length);
  }

  private List<Integer> reduceEven(SegmentBuilder steps) {
    Range to = home();
    List<Integer> ready = new ArrayList<>();
    Range from = buffers.in(own.at(), own.all().length());
    if (!own.isContiguous()) {
      from = steps.scratch(foreign.all().length(), own.all().length());
      pack(steps, own, foreign.all().length(), ready);
    }
    return List.of(inside.call(steps, Primitive.REDUCE_SCATTER, from, to, 0, ready));
  }

  private List<Integer> reduceUneven(SegmentBuilder steps) {
    List<Integer> reduced = new ArrayList<>();
    Range to = home();
    for (Packed.Part part : own.parts(own.all())) {
      int step = inside.reduceTo(steps, mine.positionOf(part.rank()), input(part), to, List.of());
      if (part.rank() == rank) {
        reduced.add(step);
      }
    }
    return reduced;
  }

  private void pack(SegmentBuilder steps, Packed packed, long base, List<Integer> ready) {
    for (Packed.Part part : packed.parts(packed.all())) {
      Range to = steps.scratch(base + part.lane().start(), part.lane().length());
      ready.add(steps.add(new Action.Copy(input(part), to), List.of()));
    }
  }

  private boolean isScaled() {
    return call.reduction() instanceof Reduction.PreMultiplied;
  }

  private int scaled(SegmentBuilder steps, Range staged, int copied) {
    return call.reduction() instanceof Reduction.PreMultiplied factor
        ? steps.add(new Action.Scale(staged, factor.factor()), List.of(copied))
        : copied;
  }

  @Override
  public void cross(SegmentBuilder steps) {
    if (settles) {
      settle(steps);
    } else if (!ownReady.isEmpty()) {
      fold(steps);
    }
  }

  /** On the device; until the own part is in it, the sum is kept in the scratch. */
  private void settle(SegmentBuilder steps) {
    List<Integer> done = new ArrayList<>(ownReady);
    Range sum = null;
    boolean ownFolded = false;
    for (Cluster each : grouping.clusters()) {
      boolean isOwn = each.index() == mine.index();
      Range operand = isOwn ? source() : received(steps, each, 0, length);
      ownFolded |= isOwn;
      if (!isOwn) {
        done.add(steps.add(new Action.Flush(operand), arrived));
      }
      if (sum == null) {
        sum = operand;
      } else {
        Range into = ownFolded ? home() : sum;
        Action combine = new Action.Combine(sum, operand, into, call.reduction());
        done = new ArrayList<>(List.of(steps.add(combine, done)));
        sum = into;
      }
    }
  }

  /** By the host, on the stage. */
  private void fold(SegmentBuilder steps) {
    List<Integer> done = new ArrayList<>(ownReady);
    done.addAll(arrived);
    Range sum = null;
    for (Cluster each : grouping.clusters()) {
      Range operand = steps.stage(partial(each), length);
      if (sum != null) {
        Action combine = new Action.Combine(sum, operand, sum, call.reduction());
        done = new ArrayList<>(List.of(steps.add(combine, done)));
      } else {
        sum = operand;
      }
    }
    if (call.averages() && grouping.size() > 1) {
      done = List.of(steps.add(new Action.Divide(sum, grouping.size()), done));
    }
    folded.addAll(done);
  }

  @Override
  public void finish(SegmentBuilder steps) {
    if (!folded.isEmpty()) {
      steps.add(
          new Action.Copy(steps.stage(partial(grouping.clusters().get(0)), length), home()),
          folded);
    }
  }

  private boolean needsHost() {
    return grouping.clusters().size() > 1 || call.averages();
  }

  private long partial(Cluster from) {
    return owned.length() + from.index() * length;
  }

  private Range input(Packed.Part part) {
    return buffers.in(part.at(), part.lane().length());
  }
}
