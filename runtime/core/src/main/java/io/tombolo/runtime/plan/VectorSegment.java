package io.tombolo.runtime.plan;

import io.tombolo.base.Collective;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * One segment of an all-reduce, a reduce or a broadcast: inside the cluster to its relays, {@link
 * Crossing across}, and inside the cluster to all its members.
 */
final class VectorSegment implements Segment {
  private final CollectiveCall call;
  private final Cluster mine;
  private final Cluster roots;
  private final Buffers buffers;
  private final Inside inside;
  private final int rank;
  private final int clusters;
  private final Shares shares;
  private final Lane owned;
  private final Crossing crossing;

  private final List<Integer> staged = new ArrayList<>();
  private final List<Integer> finished = new ArrayList<>();

  VectorSegment(Journey journey, Lane segment) {
    this.call = journey.call();
    this.clusters = journey.grouping().clusters().size();
    this.rank = journey.rank();
    this.mine = journey.mine();
    this.roots = journey.grouping().clusterOf(call.root());
    this.buffers = journey.buffers();
    this.inside = journey.inside();
    Sharding sharding = new Sharding(journey.grouping(), segment);
    this.shares = sharding.of(mine);
    this.owned = shares.owned(inside.position());
    this.crossing =
        journey.algorithm() == Algorithm.DOUBLING
            ? new DoublingCrossing(journey, sharding, owned)
            : new PieceCrossing(journey, sharding, owned);
  }

  @Override
  public long stageElements() {
    return owned.length() + crossing.stageElements();
  }

  @Override
  public long scratchElements() {
    return buffers.hasOutput() || mine.size() == 1 ? 0 : shares.all().length();
  }

  @Override
  public void start(SegmentBuilder steps) {
    if (reduces()) {
      stagePartial(steps);
    } else if (mine.index() == roots.index()) {
      stageSource(steps);
    }
    if (relays()) {
      crossing.start(steps, staged);
    }
  }

  private void stagePartial(SegmentBuilder steps) {
    List<Integer> reduced =
        mine.size() == 1
            ? List.of()
            : inside.reduce(steps, shares, this::input, lane -> local(steps, lane), List.of());
    if (!relays()) {
      return;
    }
    Range source = mine.size() == 1 ? input(owned) : local(steps, owned);
    staged.add(steps.add(new Action.Copy(source, stage(steps)), reduced));
    if (call.reduction() instanceof Reduction.PreMultiplied scaled) {
      int copied = staged.remove(0);
      staged.add(steps.add(new Action.Scale(stage(steps), scaled.factor()), List.of(copied)));
    }
  }

  /** The root's cluster has the vector first; its relays then send it from where it is. */
  private void stageSource(SegmentBuilder steps) {
    Lane all = shares.all();
    List<Integer> there = new ArrayList<>();
    if (mine.size() > 1) {
      int root = mine.positionOf(call.root());
      there.add(
          inside.broadcastFrom(
              steps, root, rank == call.root() ? input(all) : output(all), output(all), List.of()));
    } else if (!call.inPlace()) {
      steps.add(new Action.Copy(input(all), output(all)), List.of());
    }
    if (relays() && clusters > 1) {
      boolean root = rank == call.root();
      Range source = root ? input(owned) : output(owned);
      staged.add(
          steps.add(
              new Action.Copy(source, stage(steps)), root && !call.inPlace() ? List.of() : there));
    }
  }

  @Override
  public void cross(SegmentBuilder steps) {
    if (relays()) {
      finished.addAll(crossing.cross(steps, staged));
    }
  }

  @Override
  public void finish(SegmentBuilder steps) {
    if (!receives()) {
      return;
    }
    List<Integer> back = new ArrayList<>();
    if (relays()) {
      Range to = mine.size() == 1 ? output(owned) : local(steps, owned);
      back.add(steps.add(new Action.Copy(crossing.result(steps), to), finished));
    }
    if (mine.size() > 1) {
      inside.gather(steps, shares, lane -> local(steps, lane), back);
    }
  }

  /** Whether this rank carries any of the segment across. */
  private boolean relays() {
    return !owned.isEmpty();
  }

  private boolean reduces() {
    return call.collective() != Collective.BROADCAST;
  }

  /** Whether this cluster's members wait for results from its relays. */
  private boolean receives() {
    return switch (call.collective()) {
      case REDUCE -> mine.index() == roots.index();
      case BROADCAST -> mine.index() != roots.index();
      default -> true;
    };
  }

  /** Where this segment lies on the device while it is worked on inside the cluster. */
  private Range local(SegmentBuilder steps, Lane lane) {
    return buffers.hasOutput()
        ? output(lane)
        : steps.scratch(lane.start() - shares.all().start(), lane.length());
  }

  private Range input(Lane lane) {
    return buffers.in(lane.start(), lane.length());
  }

  private Range output(Lane lane) {
    return buffers.out(lane.start(), lane.length());
  }

  /** Where this rank's part of the segment lies in the stage. */
  private Range stage(SegmentBuilder steps) {
    return steps.stage(0, owned.length());
  }
}
