package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Collective;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A stretch's way between clusters through owners.
 *
 * <p>Each lane is cut into pieces, and each piece has an owner among the clusters: its relay
 * receives the other clusters' partial pieces, folds them in ascending cluster order, and passes
 * the finished piece on to those who want it. An all-reduce gives every cluster an equal piece of
 * each lane; reduce and broadcast give all to the root's cluster. In the {@linkplain
 * Algorithm#DIRECT direct} all-reduce everyone owns everything: whole lanes are exchanged once, and
 * all fold alike.
 */
final class PieceCrossing implements Crossing {
  private static final int PARTIAL = 0;
  private static final int FINISHED = 1;

  private final CollectiveCall call;
  private final ImmutableList<Cluster> clusters;
  private final Cluster mine;
  private final Cluster roots;
  private final int worldSize;
  private final boolean direct;
  private final Sharding sharding;
  private final Lane owned;
  private final List<Lane> lanes;

  private final List<Exchange> exchanges = new ArrayList<>();
  private long nextStage;

  /** A partial piece on its way here, and ours on its way there. */
  private record Exchange(
      Lane lane, Cluster other, Range received, List<Integer> arrived, List<Integer> sent) {}

  /** The crossing of {@code owned}, which this rank answers for. */
  PieceCrossing(Journey journey, Sharding sharding, Lane owned) {
    this.call = journey.call();
    this.clusters = journey.grouping().clusters();
    this.mine = journey.mine();
    this.roots = journey.grouping().clusterOf(call.root());
    this.worldSize = journey.grouping().size();
    this.direct =
        journey.algorithm() == Algorithm.DIRECT && call.collective() == Collective.ALL_REDUCE;
    this.sharding = sharding;
    this.owned = owned;
    this.lanes = owned.isEmpty() ? List.of() : sharding.lanes(owned);
  }

  @Override
  public long stageElements() {
    long received = lanes.stream().mapToLong(lane -> piece(lane, mine).length()).sum();
    return received * (direct ? clusters.size() : clusters.size() - 1);
  }

  @Override
  public void start(SegmentBuilder steps, List<Integer> staged) {
    nextStage = owned.length();
    if (reduces()) {
      for (Lane lane : lanes) {
        clusters.stream()
            .filter(other -> other.index() != mine.index())
            .forEach(other -> exchangePartial(steps, lane, other, staged));
      }
    }
  }

  private void exchangePartial(
      SegmentBuilder steps, Lane lane, Cluster other, List<Integer> staged) {
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
    exchanges.add(new Exchange(lane, other, received, arrived, sent));
  }

  @Override
  public List<Integer> cross(SegmentBuilder steps, List<Integer> staged) {
    List<Integer> finished = new ArrayList<>();
    for (Lane lane : lanes) {
      List<Integer> folded = reduces() ? fold(steps, lane, staged) : staged;
      if (!direct && spreads()) {
        for (Cluster other : clusters) {
          if (other.index() != mine.index()) {
            finished.addAll(passOn(steps, lane, other, folded));
          }
        }
      }
      finished.addAll(folded);
    }
    return finished;
  }

  /** Folds in ascending cluster order; the result ends in {@link #result}. */
  private List<Integer> fold(SegmentBuilder steps, Lane lane, List<Integer> staged) {
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
        Exchange exchange = exchange(lane, each);
        operand = exchange.received();
        done.addAll(exchange.arrived());
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

  private List<Integer> passOn(
      SegmentBuilder steps, Lane lane, Cluster other, List<Integer> folded) {
    int peer = sharding.relay(other, lane.start());
    Lane ours = piece(lane, mine);
    Lane theirs = piece(lane, other);
    if (!ours.isEmpty()) {
      steps.add(new Action.Send(peer, stage(steps, ours), key(ours, FINISHED)), folded);
    }
    if (theirs.isEmpty()) {
      return List.of();
    }
    Collection<Integer> sent = reduces() ? exchange(lane, other).sent() : List.of();
    Action receive = new Action.Receive(peer, stage(steps, theirs), key(theirs, FINISHED));
    return List.of(steps.add(receive, sent));
  }

  @Override
  public Range result(SegmentBuilder steps) {
    return result(steps, owned);
  }

  /** Over our own piece, unless that is still being sent. */
  private Range result(SegmentBuilder steps, Lane lane) {
    return direct && clusters.size() > 1
        ? steps.stage(
            owned.length() * clusters.size() + lane.start() - owned.start(), lane.length())
        : stage(steps, lane);
  }

  private boolean reduces() {
    return call.collective() != Collective.BROADCAST;
  }

  /** Whether results leave the clusters that own them. */
  private boolean spreads() {
    return call.collective() != Collective.REDUCE;
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

  private Exchange exchange(Lane lane, Cluster other) {
    return exchanges.stream()
        .filter(each -> each.lane().equals(lane) && each.other().index() == other.index())
        .findFirst()
        .orElseThrow();
  }

  private Range stage(SegmentBuilder steps, Lane lane) {
    return steps.stage(lane.start() - owned.start(), lane.length());
  }

  private static long key(Lane piece, int phase) {
    return piece.start() * 2 + phase;
  }
}
