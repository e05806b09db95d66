// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

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
  private final Inside inside;
  private final int rank;
  private final Shares shares;
  private final Stretch stretch;
  private final Crossing crossing;

  private Crossing.Outcome outcome = new Crossing.Outcome();

  VectorSegment(Journey journey, Interval segment) {
    this.call = journey.call();
    this.rank = journey.rank();
    this.mine = journey.mine();
    this.roots = journey.grouping().clusterOf(call.root());
    this.inside = journey.inside();
    Sharding sharding = new Sharding(journey.grouping(), segment);
    this.shares = sharding.of(mine);
    this.stretch = new Stretch(journey, shares.all(), shares.owned(inside.position()));
    this.crossing =
        journey.algorithm() == Algorithm.DOUBLING
            ? new DoublingCrossing(journey, sharding, stretch)
            : new PieceCrossing(journey, sharding, stretch);
  }

  @Override
  public long stageElements() {
    return stretch.owned().length() + crossing.stageElements();
  }

  @Override
  public long scratchElements() {
    return stretch.scratchElements() + crossing.scratchElements();
  }

  @Override
  public void start(SegmentBuilder steps) {
    if (reduces()) {
      reduceInside(steps);
    } else if (mine.index() == roots.index()) {
      spreadSource(steps);
    }
    if (relays()) {
      stretch.bring(steps, crossing.staged(steps));
      crossing.start(steps);
    }
  }

  private void reduceInside(SegmentBuilder steps) {
    if (mine.size() > 1) {
      stretch.isReadyAfter(
          inside.reduce(
              steps, shares, stretch::input, lane -> stretch.local(steps, lane), List.of()));
    }
  }

  /** The root's cluster has the vector first; its relays then send it from where it is. */
  private void spreadSource(SegmentBuilder steps) {
    Range from = stretch.input(shares.all());
    Range to = stretch.output(shares.all());
    if (mine.size() > 1) {
      int root = mine.positionOf(call.root());
      int there = inside.broadcastFrom(steps, root, rank == call.root() ? from : to, to, List.of());
      if (rank != call.root() || call.inPlace()) {
        stretch.isReadyAfter(List.of(there));
      }
    } else if (!call.inPlace()) {
      steps.add(new Action.Copy(from, to), List.of());
    }
  }

  @Override
  public void cross(SegmentBuilder steps) {
    if (relays()) {
      outcome = crossing.cross(steps);
    }
  }

  @Override
  public void finish(SegmentBuilder steps) {
    if (!receives()) {
      return;
    }
    List<Integer> back = relays() ? bringHome(steps) : List.of();
    if (mine.size() > 1) {
      inside.gather(steps, shares, lane -> stretch.local(steps, lane), back);
    }
  }

  /** What has landed is flushed, and what is on the stage copied; the rest is there. */
  private List<Integer> bringHome(SegmentBuilder steps) {
    Intervals onStage = new Intervals();
    onStage.add(stretch.owned());
    outcome.landings().forEach(landing -> onStage.remove(landing.lane()));
    outcome.settled().forEach(settled -> onStage.remove(settled.lane()));
    List<Integer> after = new ArrayList<>(outcome.finished());
    after.addAll(stretch.readers(steps));
    List<Integer> back = new ArrayList<>();
    for (Interval lane : onStage.all()) {
      Action copy = new Action.Copy(crossing.result(steps, lane), stretch.home(steps, lane));
      back.add(steps.add(copy, after));
    }
    for (Crossing.Landing landing : outcome.landings()) {
      Action flush = new Action.Flush(stretch.home(steps, landing.lane()));
      back.add(steps.add(flush, List.of(landing.step())));
    }
    outcome.settled().forEach(settled -> back.addAll(settled.steps()));
    return back;
  }

  /** Whether this rank carries any of the segment across. */
  private boolean relays() {
    return !stretch.owned().isEmpty();
  }

  private boolean reduces() {
    return call.collective().isReducing();
  }

  /** Whether this cluster's members wait for results from its relays. */
  private boolean receives() {
    return !call.collective().isRooted()
        || (mine.index() == roots.index()) == call.collective().isReducing();
  }
}
