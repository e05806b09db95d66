package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * One segment of an all-reduce, a reduce or a broadcast.
 *
 * <p>Each lane is cut into pieces, and each piece has an owner among the clusters: its relay
 * receives the other clusters' partial pieces, folds them in ascending cluster order, and passes
 * the finished piece on to those who want it. An all-reduce gives every cluster an equal piece of
 * each lane; reduce and broadcast give all to the root's cluster. In the {@linkplain
 * Algorithm#DIRECT direct} all-reduce everyone owns everything: whole lanes are exchanged once, and
 * all fold alike.
 */
final class VectorSegment implements Segment {
  private static final int PARTIAL = 0;
  private static final int FINISHED = 1;

  private final CollectiveCall call;
  private final ImmutableList<Cluster> clusters;
  private final Cluster mine;
  private final Cluster roots;
  private final Buffers buffers;
  private final Inside inside;
  private final int rank;
  private final int worldSize;
  private final boolean direct;
  private final Sharding sharding;
  private final Shares shares;
  private final Lane owned;
  private final List<Lane> lanes;

  private final List<Integer> staged = new ArrayList<>();
  private final List<Integer> finished = new ArrayList<>();
  private final List<Crossing> crossings = new ArrayList<>();
  private long nextStage;

  /** A partial piece on its way here, and ours on its way there. */
  private record Crossing(
      Lane lane,
      Cluster other,
      int peer,
      Range received,
      List<Integer> arrived,
      List<Integer> sent) {}

  VectorSegment(Journey journey, Lane segment) {
    this.call = journey.call();
    this.clusters = journey.grouping().clusters();
    this.rank = journey.rank();
    this.mine = journey.mine();
    this.roots = journey.grouping().clusterOf(call.root());
    this.worldSize = journey.grouping().size();
    this.buffers = journey.buffers();
    this.inside = journey.inside();
    this.direct =
        journey.algorithm() == Algorithm.DIRECT && call.collective() == Collective.ALL_REDUCE;
    this.sharding = new Sharding(journey.grouping(), segment);
    this.shares = sharding.of(mine);
    this.owned = shares.owned(inside.position());
    this.lanes = owned.isEmpty() ? List.of() : sharding.lanes(owned);
  }

  @Override
  public long stageElements() {
    long received = lanes.stream().mapToLong(lane -> piece(lane, mine).length()).sum();
    return owned.length() + received * (direct ? clusters.size() : clusters.size() - 1);
  }

  @Override
  public long scratchElements() {
    return buffers.hasOutput() || mine.size() == 1 ? 0 : shares.all().length();
  }

  @Override
  public void start(SegmentBuilder steps) {
    nextStage = owned.length();
    if (reduces()) {
      stagePartial(steps);
      for (Lane lane : lanes) {
        clusters.stream()
            .filter(other -> other.index() != mine.index())
            .forEach(other -> exchangePartial(steps, lane, other));
      }
    } else if (mine.index() == roots.index()) {
      stageSource(steps);
    }
  }

  private void stagePartial(SegmentBuilder steps) {
    List<Integer> reduced =
        mine.size() == 1
            ? List.of()
            : inside.reduce(steps, shares, this::input, lane -> local(steps, lane), List.of());
    if (lanes.isEmpty()) {
      return;
    }
    Range source = mine.size() == 1 ? input(owned) : local(steps, owned);
    staged.add(steps.add(new Action.Copy(source, stage(steps, owned)), reduced));
    if (call.reduction() instanceof Reduction.PreMultiplied scaled) {
      int copied = staged.remove(0);
      staged.add(
          steps.add(new Action.Scale(stage(steps, owned), scaled.factor()), List.of(copied)));
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
    if (!lanes.isEmpty() && clusters.size() > 1) {
      boolean root = rank == call.root();
      Range source = root ? input(owned) : output(owned);
      staged.add(
          steps.add(
              new Action.Copy(source, stage(steps, owned)),
              root && !call.inPlace() ? List.of() : there));
    }
  }

  private void exchangePartial(SegmentBuilder steps, Lane lane, Cluster other) {
    int peer = sharding.relay(other, lane.start());
    Lane theirs = piece(lane, other);
    Lane ours = piece(lane, mine);
    List<Integer> sent = new ArrayList<>();
    if (!theirs.isEmpty()) {
      sent.add(
          steps.add(new Action.Send(peer, stage(steps, theirs), key(theirs, PARTIAL)), staged));
    }
    Range received = steps.stage(nextStage, ours.length());
    nextStage += ours.length();
    List<Integer> arrived =
        ours.isEmpty()
            ? List.of()
            : List.of(steps.add(new Action.Receive(peer, received, key(ours, PARTIAL)), List.of()));
    crossings.add(new Crossing(lane, other, peer, received, arrived, sent));
  }

  @Override
  public void cross(SegmentBuilder steps) {
    for (Lane lane : lanes) {
      List<Integer> folded = reduces() ? fold(steps, lane) : staged;
      if (!direct && spreads()) {
        for (Cluster other : clusters) {
          if (other.index() != mine.index()) {
            passOn(steps, lane, other, folded);
          }
        }
      }
      finished.addAll(folded);
    }
  }

  /** Folds in ascending cluster order; the result ends in {@link #result}. */
  private List<Integer> fold(SegmentBuilder steps, Lane lane) {
    Lane ours = piece(lane, mine);
    if (ours.isEmpty()) {
      return List.of();
    }
    Range own = stage(steps, ours);
    Range result = result(steps, ours);
    List<Integer> done = new ArrayList<>(staged);
    Range folded = null;
    boolean ownFolded = direct;
    for (Cluster each : clusters) {
      Range operand = own;
      if (each.index() == mine.index()) {
        ownFolded = true;
      } else {
        Crossing crossing = crossing(lane, each);
        operand = crossing.received();
        done.addAll(crossing.arrived());
      }
      if (folded == null) {
        folded = operand;
      } else {
        Range into = ownFolded ? result : folded;
        Action combine = new Action.Combine(folded, operand, into, call.reduction());
        done = new ArrayList<>(List.of(steps.add(combine, done)));
        folded = into;
      }
    }
    return call.averages() && worldSize > 1
        ? List.of(steps.add(new Action.Divide(result, worldSize), done))
        : done;
  }

  private void passOn(SegmentBuilder steps, Lane lane, Cluster other, List<Integer> folded) {
    int peer = sharding.relay(other, lane.start());
    Lane ours = piece(lane, mine);
    Lane theirs = piece(lane, other);
    if (!ours.isEmpty()) {
      steps.add(new Action.Send(peer, stage(steps, ours), key(ours, FINISHED)), folded);
    }
    if (!theirs.isEmpty()) {
      Collection<Integer> sent = reduces() ? crossing(lane, other).sent() : List.of();
      finished.add(
          steps.add(new Action.Receive(peer, stage(steps, theirs), key(theirs, FINISHED)), sent));
    }
  }

  @Override
  public void finish(SegmentBuilder steps) {
    if (!receives()) {
      return;
    }
    List<Integer> back = new ArrayList<>();
    if (!lanes.isEmpty()) {
      Range to = mine.size() == 1 ? output(owned) : local(steps, owned);
      back.add(steps.add(new Action.Copy(result(steps, owned), to), finished));
    }
    if (mine.size() > 1) {
      inside.gather(steps, shares, lane -> local(steps, lane), back);
    }
  }

  private boolean reduces() {
    return call.collective() != Collective.BROADCAST;
  }

  /** Whether results leave the clusters that own them. */
  private boolean spreads() {
    return call.collective() != Collective.REDUCE;
  }

  /** Whether this cluster's members wait for results from its relays. */
  private boolean receives() {
    return switch (call.collective()) {
      case REDUCE -> mine.index() == roots.index();
      case BROADCAST -> mine.index() != roots.index();
      default -> true;
    };
  }

  private Lane piece(Lane lane, Cluster owner) {
    if (direct) {
      return lane;
    }
    if (call.collective() == Collective.ALL_REDUCE) {
      return lane.piece(owner.index(), clusters.size());
    }
    return owner.index() == roots.index() ? lane : lane.nothing();
  }

  private Crossing crossing(Lane lane, Cluster other) {
    return crossings.stream()
        .filter(each -> each.lane().equals(lane) && each.other().index() == other.index())
        .findFirst()
        .orElseThrow();
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

  private Range stage(SegmentBuilder steps, Lane lane) {
    return steps.stage(lane.start() - owned.start(), lane.length());
  }

  /** Where folding ends: over our own piece, unless that is still being sent. */
  private Range result(SegmentBuilder steps, Lane lane) {
    return direct && clusters.size() > 1
        ? steps.stage(
            owned.length() * clusters.size() + lane.start() - owned.start(), lane.length())
        : stage(steps, lane);
  }

  private static long key(Lane piece, int phase) {
    return piece.start() * 2 + phase;
  }
}
