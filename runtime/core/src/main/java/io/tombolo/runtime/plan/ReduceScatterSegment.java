package io.tombolo.runtime.plan;

import io.tombolo.base.Collective;
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
  private final Lane owned;
  private final long length;

  private final List<Integer> ownStaged = new ArrayList<>();
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
    return mine.size() == 1 ? 0 : foreign.all().length() + own.all().length();
  }

  @Override
  public void start(SegmentBuilder steps) {
    sendForeign(steps);
    reduceOwn(steps);
    for (Cluster other : grouping.clusters()) {
      if (other.index() != mine.index()) {
        Packed theirs = foreignTo(other);
        Lane block = theirs.place(rank);
        for (Shares.Part part : shares(other, theirs).partsOf(block)) {
          Range to =
              steps.stage(
                  partial(other) + part.lane().start() - block.start(), part.lane().length());
          int relay = other.rank(part.position());
          arrived.add(steps.add(new Action.Receive(relay, to, window.start()), List.of()));
        }
      }
    }
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

  /** Brings the own cluster's part of this rank's block to the stage, or home if that is all. */
  private void reduceOwn(SegmentBuilder steps) {
    List<Integer> reduced = new ArrayList<>();
    Range partial = buffers.in(window.at(rank), length);
    if (mine.size() > 1) {
      partial = buffers.out(window.before(rank), length);
      reduced.addAll(own.isEven(mine.size()) ? reduceEven(steps) : reduceUneven(steps));
    }
    if (length > 0 && (mine.size() == 1 || needsHost())) {
      Range staged = steps.stage(partial(mine), length);
      ownStaged.add(scaled(steps, staged, steps.add(new Action.Copy(partial, staged), reduced)));
    }
  }

  private List<Integer> reduceEven(SegmentBuilder steps) {
    Range to = buffers.out(window.before(rank), length);
    List<Integer> ready = new ArrayList<>();
    Range from = buffers.in(own.at(), own.all().length());
    if (!own.isContiguous()) {
      from = steps.scratch(foreign.all().length(), own.all().length());
      pack(steps, own, foreign.all().length(), ready);
    }
    return List.of(inside.call(steps, Collective.REDUCE_SCATTER, from, to, 0, ready));
  }

  private List<Integer> reduceUneven(SegmentBuilder steps) {
    List<Integer> reduced = new ArrayList<>();
    Range to = buffers.out(window.before(rank), length);
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
    if (ownStaged.isEmpty()) {
      return;
    }
    List<Integer> done = new ArrayList<>(ownStaged);
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
      Range to = buffers.out(window.before(rank), length);
      steps.add(
          new Action.Copy(steps.stage(partial(grouping.clusters().get(0)), length), to), folded);
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
