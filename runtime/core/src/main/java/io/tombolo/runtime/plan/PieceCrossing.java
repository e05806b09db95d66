// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
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
  private final Stretch stretch;
  private final Interval owned;
  private final List<Interval> lanes;

  private final List<Exchange> exchanges = new ArrayList<>();
  private long nextStage;
  private long nextScratch;

  /** A partial piece on its way here, and ours on its way there. */
  private record Exchange(
      Interval lane, Cluster other, Range received, List<Integer> arrived, List<Integer> sent) {}

  /** The crossing of {@code stretch}. */
  PieceCrossing(Journey journey, Sharding sharding, Stretch stretch) {
    this.call = journey.call();
    this.clusters = journey.grouping().clusters();
    this.mine = journey.mine();
    this.roots = journey.grouping().clusterOf(call.root());
    this.worldSize = journey.grouping().size();
    this.direct = journey.algorithm() == Algorithm.DIRECT && !call.collective().isRooted();
    this.sharding = sharding;
    this.stretch = stretch;
    this.owned = stretch.owned();
    this.lanes = owned.isEmpty() ? List.of() : sharding.lanes(owned);
  }

  /** For the others' partial pieces; a finished one comes to its place in the stretch. */
  @Override
  public long stageElements() {
    return !reduces() ? 0 : ours() * (direct ? clusters.size() : clusters.size() - 1);
  }

  @Override
  public long scratchElements() {
    boolean mayCombineThere = reduces() && call.combinesOnDevice(ours());
    return mayCombineThere ? ours() * (clusters.size() - 1) : 0;
  }

  /** Elements of the pieces that this cluster owns. */
  private long ours() {
    return lanes.stream().mapToLong(lane -> piece(lane, mine).length()).sum();
  }

  /** Whether the device combines our piece of {@code lane} where it belongs. */
  private boolean settles(SegmentBuilder steps, Interval lane) {
    return reduces()
        && !direct
        && clusters.size() > 1
        && clusters.stream()
            .filter(other -> other.index() != mine.index())
            .allMatch(
                other ->
                    stretch.combinesAtHome(
                        steps, piece(lane, mine), sharding.relay(other, lane.start())));
  }

  /** What the host folds, and what is not sent from where it is. */
  @Override
  public List<Interval> staged(SegmentBuilder steps) {
    Intervals staged = new Intervals();
    for (Interval lane : lanes) {
      Interval ours = piece(lane, mine);
      if (reduces() && !settles(steps, lane)) {
        staged.add(ours);
      }
      for (Cluster other : clusters) {
        if (other.index() != mine.index()
            && !stretch.leavesDirectly(steps, sharding.relay(other, lane.start()))) {
          staged.add(reduces() ? piece(lane, other) : ours);
        }
      }
    }
    return staged.all();
  }

  @Override
  public void start(SegmentBuilder steps) {
    nextStage = owned.length();
    nextScratch = stretch.scratchElements();
    if (reduces()) {
      for (Interval lane : lanes) {
        clusters.stream()
            .filter(other -> other.index() != mine.index())
            .forEach(other -> exchangePartial(steps, lane, other));
      }
    }
  }

  private void exchangePartial(SegmentBuilder steps, Interval lane, Cluster other) {
    int peer = sharding.relay(other, lane.start());
    Interval theirs = piece(lane, other);
    Interval ours = piece(lane, mine);
    List<Integer> sent = new ArrayList<>();
    if (!theirs.isEmpty()) {
      sent.add(stretch.send(steps, peer, theirs, key(theirs, PARTIAL)));
    }
    Range received = settles(steps, lane) ? scratch(steps, ours) : stage(steps, ours);
    List<Integer> arrived =
        ours.isEmpty()
            ? List.of()
            : List.of(steps.add(new Action.Receive(peer, received, key(ours, PARTIAL)), List.of()));
    exchanges.add(new Exchange(lane, other, received, arrived, sent));
  }

  private Range stage(SegmentBuilder steps, Interval lane) {
    Range place = steps.stage(nextStage, lane.length());
    nextStage += lane.length();
    return place;
  }

  private Range scratch(SegmentBuilder steps, Interval lane) {
    Range place = steps.scratch(nextScratch, lane.length());
    nextScratch += lane.length();
    return place;
  }

  @Override
  public Outcome cross(SegmentBuilder steps) {
    Outcome outcome = new Outcome();
    for (Interval lane : lanes) {
      List<Integer> folded = reduces() ? fold(steps, lane) : List.of();
      List<Integer> read = new ArrayList<>(folded);
      if (!direct && spreads()) {
        for (Cluster other : clusters) {
          if (other.index() != mine.index()) {
            read.addAll(passOn(steps, lane, other, folded));
            awaitFinished(steps, lane, other, outcome);
          }
        }
      }
      if (settles(steps, lane)) {
        outcome.settled().add(new Settled(piece(lane, mine), read));
      } else {
        outcome.finished().addAll(folded);
      }
    }
    return outcome;
  }

  /** Folds in ascending cluster order; the result ends in {@link #result}, or at home. */
  private List<Integer> fold(SegmentBuilder steps, Interval lane) {
    Interval ours = piece(lane, mine);
    if (ours.isEmpty()) {
      return List.of();
    }
    boolean settles = settles(steps, lane);
    Range own = settles ? stretch.source(steps, ours) : stretch.stage(steps, ours);
    Range result = settles ? stretch.home(steps, ours) : result(steps, ours);
    List<Integer> done = new ArrayList<>(settles ? stretch.ready() : stretch.staged());
    Range folded = null;
    boolean ownFolded = direct;
    for (Cluster each : clusters) {
      Range operand = own;
      if (each.index() == mine.index()) {
        ownFolded = true;
      } else {
        Exchange exchange = exchange(lane, each);
        operand = exchange.received();
        done.addAll(settles ? flushed(steps, exchange) : exchange.arrived());
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

  private static List<Integer> flushed(SegmentBuilder steps, Exchange exchange) {
    return List.of(steps.add(new Action.Flush(exchange.received()), exchange.arrived()));
  }

  /** Sends our piece from where it was combined; or from where it is, if it was not. */
  private List<Integer> passOn(
      SegmentBuilder steps, Interval lane, Cluster other, List<Integer> folded) {
    Interval ours = piece(lane, mine);
    if (ours.isEmpty()) {
      return List.of();
    }
    int peer = sharding.relay(other, lane.start());
    if (!reduces()) {
      return List.of(stretch.send(steps, peer, ours, key(ours, FINISHED)));
    }
    Range from = settles(steps, lane) ? stretch.home(steps, ours) : stretch.stage(steps, ours);
    return List.of(steps.add(new Action.Send(peer, from, key(ours, FINISHED)), folded));
  }

  /** It comes where our partial piece was sent from, unless that was elsewhere on the device. */
  private void awaitFinished(SegmentBuilder steps, Interval lane, Cluster other, Outcome outcome) {
    Interval theirs = piece(lane, other);
    if (theirs.isEmpty()) {
      return;
    }
    int peer = sharding.relay(other, lane.start());
    boolean lands = stretch.arrivesDirectly(steps, peer);
    boolean overwrites = reduces() && !(lands && !stretch.endsWhereItBegins(steps));
    Range to = lands ? stretch.home(steps, theirs) : stretch.stage(steps, theirs);
    Action receive = new Action.Receive(peer, to, key(theirs, FINISHED));
    int step = steps.add(receive, overwrites ? exchange(lane, other).sent() : List.of());
    if (lands) {
      outcome.landings().add(new Landing(theirs, step));
    } else {
      outcome.finished().add(step);
    }
  }

  /** Over our own piece, unless that is still being sent. */
  @Override
  public Range result(SegmentBuilder steps, Interval lane) {
    return direct && clusters.size() > 1
        ? steps.stage(
            owned.length() * clusters.size() + lane.start() - owned.start(), lane.length())
        : stretch.stage(steps, lane);
  }

  private boolean reduces() {
    return call.collective().isReducing();
  }

  /** Whether results leave the clusters that own them. */
  private boolean spreads() {
    return !call.collective().isRooted() || !call.collective().isReducing();
  }

  private Interval piece(Interval lane, Cluster owner) {
    if (direct) {
      return lane;
    }
    if (!call.collective().isRooted()) {
      return lane.piece(owner.index(), clusters.size());
    }
    return owner.index() == roots.index() ? lane : lane.nothing();
  }

  private Exchange exchange(Interval lane, Cluster other) {
    return exchanges.stream()
        .filter(each -> each.lane().equals(lane) && each.other().index() == other.index())
        .findFirst()
        .orElseThrow();
  }

  private static long key(Interval piece, int phase) {
    return piece.start() * 2 + phase;
  }
}
