package io.tombolo.runtime.plan;

import io.tombolo.base.Collective;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Sharding.Lane;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * One segment's way through an all-reduce, as this rank sees it.
 *
 * <p>Between the clusters each lane is reduced in pieces, one per cluster: every relay sends each
 * other cluster the piece that one answers for, folds what it receives into its own piece in
 * ascending cluster order (so that all ranks hold the same bits), and sends the finished piece
 * back. That moves 2(K-1)/K of the lane out of and into each cluster, the lower bound.
 *
 * <p>Stage layout from {@code base}: the elements this rank answers for, then the pieces it
 * receives.
 */
final class AllReduceSegment {
  /** Message keys tell partial pieces from finished ones. */
  private static final int PARTIAL = 0;

  private static final int FINISHED = 1;

  private final CollectiveCall call;
  private final List<Cluster> clusters;
  private final Cluster mine;
  private final int position;
  private final Sharding sharding;
  private final Lane owned;
  private final List<Lane> lanes;
  private final int worldSize;

  private long base;
  private final List<Integer> staged = new ArrayList<>();
  private final List<Integer> sends = new ArrayList<>();
  private final List<Integer> finished = new ArrayList<>();
  private final List<Crossing> crossings = new ArrayList<>();
  private final List<Integer> released = new ArrayList<>();

  /** A partial piece on its way here, and ours on its way there. */
  private record Crossing(
      Lane lane, Cluster other, int peer, Range received, int receive, List<Integer> sent) {}

  AllReduceSegment(PlanContext context, CollectiveCall call, int rank, Sharding sharding) {
    this.call = call;
    this.clusters = context.clustering().clusters();
    this.mine = context.clustering().clusterOf(rank);
    this.position = mine.positionOf(rank);
    this.sharding = sharding;
    this.owned = sharding.owned(mine, position);
    this.lanes = owned.length() == 0 ? List.of() : sharding.lanes(owned);
    this.worldSize = context.clustering().size();
  }

  /** Stage this segment needs. */
  long stageElements() {
    long received =
        lanes.stream().mapToLong(lane -> myPiece(lane).length()).sum() * (clusters.size() - 1);
    return owned.length() + received;
  }

  /** Steps after whose completion this segment's stage may be used again. */
  List<Integer> released() {
    return released;
  }

  /** Phase 1: reduce inside the cluster, bring the result to the stage, exchange partial pieces. */
  void reduce(ProgramBuilder program, long stageBase, List<Integer> stageFree) {
    this.base = stageBase;
    List<Integer> reduced = reduceInside(program);
    if (lanes.isEmpty()) {
      return;
    }
    List<Integer> ready = new ArrayList<>(reduced);
    ready.addAll(stageFree);
    Space source = mine.size() == 1 ? Space.INPUT : Space.OUTPUT;
    staged.add(program.add(new Action.Copy(device(source, owned), stage(owned)), ready));
    long receiveAt = base + owned.length();
    for (Lane lane : lanes) {
      for (Cluster other : clusters) {
        if (other.index() != mine.index()) {
          receiveAt = exchangePartial(program, lane, other, receiveAt, stageFree);
        }
      }
    }
  }

  /**
   * Phase 2: fold the received pieces into ours, send the finished piece, receive the others'
   * finished pieces.
   */
  void cross(ProgramBuilder program) {
    for (Lane lane : lanes) {
      List<Crossing> ofLane =
          crossings.stream().filter(crossing -> crossing.lane().equals(lane)).toList();
      List<Integer> folded = fold(program, lane, ofLane);
      for (Crossing crossing : ofLane) {
        sendFinished(program, lane, crossing, folded);
        receiveFinished(program, lane, crossing);
      }
      finished.addAll(folded);
    }
  }

  /** Phase 3: bring the finished elements back to the device and gather inside the cluster. */
  void gather(ProgramBuilder program) {
    List<Integer> back = new ArrayList<>();
    if (!lanes.isEmpty()) {
      back.add(program.add(new Action.Copy(stage(owned), device(Space.OUTPUT, owned)), finished));
      released.addAll(back);
      released.addAll(sends);
    }
    if (mine.size() == 1) {
      return;
    }
    Lane body = sharding.body();
    Lane tail = sharding.tail();
    if (body.length() > 0) {
      Range shard = device(Space.OUTPUT, sharding.shard(mine, position));
      intra(program, Collective.ALL_GATHER, shard, device(Space.OUTPUT, body), 0, back);
    }
    if (tail.length() > 0) {
      Range all = device(Space.OUTPUT, tail);
      intra(
          program, Collective.BROADCAST, isLast() ? all : nothing(all), all, mine.size() - 1, back);
    }
  }

  private List<Integer> reduceInside(ProgramBuilder program) {
    List<Integer> reduced = new ArrayList<>();
    if (mine.size() == 1) {
      return reduced;
    }
    Lane body = sharding.body();
    Lane tail = sharding.tail();
    if (body.length() > 0) {
      Range shard = device(Space.OUTPUT, sharding.shard(mine, position));
      reduced.add(
          intra(
              program, Collective.REDUCE_SCATTER, device(Space.INPUT, body), shard, 0, List.of()));
    }
    if (tail.length() > 0) {
      Range all = device(Space.OUTPUT, tail);
      Range result = isLast() ? all : nothing(all);
      reduced.add(
          intra(
              program,
              Collective.REDUCE,
              device(Space.INPUT, tail),
              result,
              mine.size() - 1,
              List.of()));
    }
    return reduced;
  }

  private long exchangePartial(
      ProgramBuilder program, Lane lane, Cluster other, long receiveAt, List<Integer> stageFree) {
    int peer = sharding.relay(other, lane.start());
    Lane theirs = lane.piece(other.index(), clusters.size());
    Lane ours = myPiece(lane);
    List<Integer> sent = new ArrayList<>();
    if (theirs.length() > 0) {
      sent.add(program.add(new Action.Send(peer, stage(theirs), key(theirs, PARTIAL)), staged));
      sends.addAll(sent);
    }
    Range received = new Range(Space.STAGE, receiveAt, ours.length());
    int receive =
        ours.length() == 0
            ? -1
            : program.add(new Action.Receive(peer, received, key(ours, PARTIAL)), stageFree);
    crossings.add(new Crossing(lane, other, peer, received, receive, sent));
    return receiveAt + ours.length();
  }

  /** Folds in ascending cluster order; the result ends in our own piece of the stage. */
  private List<Integer> fold(ProgramBuilder program, Lane lane, List<Crossing> ofLane) {
    Range own = stage(myPiece(lane));
    if (own.length() == 0) {
      return List.of();
    }
    List<Integer> done = new ArrayList<>(staged);
    Range folded = null;
    boolean ownFolded = false;
    for (Cluster each : clusters) {
      Range operand = own;
      if (each.index() == mine.index()) {
        ownFolded = true;
      } else {
        Crossing crossing = from(each, ofLane);
        operand = crossing.received();
        done.add(crossing.receive());
      }
      if (folded == null) {
        folded = operand;
      } else {
        Range into = ownFolded ? own : folded;
        done =
            new ArrayList<>(
                List.of(program.add(new Action.Combine(folded, operand, into, innerOp()), done)));
        folded = into;
      }
    }
    if (call.op() == ReduceOp.AVG) {
      done = List.of(program.add(new Action.Divide(own, worldSize), done));
    }
    return done;
  }

  private static Crossing from(Cluster cluster, List<Crossing> ofLane) {
    return ofLane.stream()
        .filter(crossing -> crossing.other().index() == cluster.index())
        .findFirst()
        .orElseThrow();
  }

  private void sendFinished(
      ProgramBuilder program, Lane lane, Crossing crossing, List<Integer> folded) {
    Lane ours = myPiece(lane);
    if (ours.length() > 0) {
      sends.add(
          program.add(new Action.Send(crossing.peer(), stage(ours), key(ours, FINISHED)), folded));
    }
  }

  private void receiveFinished(ProgramBuilder program, Lane lane, Crossing crossing) {
    Lane theirs = lane.piece(crossing.other().index(), clusters.size());
    if (theirs.length() > 0) {
      finished.add(
          program.add(
              new Action.Receive(crossing.peer(), stage(theirs), key(theirs, FINISHED)),
              crossing.sent()));
    }
  }

  private int intra(
      ProgramBuilder program,
      Collective collective,
      Range input,
      Range output,
      int root,
      List<Integer> after) {
    return program.add(new Action.IntraCall(collective, input, output, innerOp(), root), after);
  }

  /** An average is a sum inside; the division comes once, at the end. */
  private ReduceOp innerOp() {
    return call.op() == ReduceOp.AVG ? ReduceOp.SUM : call.op();
  }

  private Lane myPiece(Lane lane) {
    return lane.piece(mine.index(), clusters.size());
  }

  private boolean isLast() {
    return position == mine.size() - 1;
  }

  private Range stage(Lane lane) {
    return new Range(Space.STAGE, base + lane.start() - owned.start(), lane.length());
  }

  private static Range device(Space space, Lane lane) {
    return new Range(space, lane.start(), lane.length());
  }

  private static Range nothing(Range at) {
    return new Range(at.space(), at.offset(), 0);
  }

  private static long key(Lane piece, int phase) {
    return piece.start() * 2 + phase;
  }
}
