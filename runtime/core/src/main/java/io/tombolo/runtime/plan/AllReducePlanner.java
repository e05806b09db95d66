package io.tombolo.runtime.plan;

import static io.tombolo.runtime.plan.Tuning.SEGMENTS_IN_FLIGHT;

import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * All-reduce as reduce-scatter inside each cluster, exchange between the clusters lane by lane,
 * all-gather inside.
 *
 * <p>The vector is cut into segments, and the segments run through the three phases as through a
 * pipeline: while one is reduced, the one before crosses and the one before that is gathered. Every
 * rank emits its steps in this one order, so members of a cluster make the same vendor calls in the
 * same order, and both ends of a channel agree on the order of messages.
 */
final class AllReducePlanner {
  /** What a cluster's library must offer to take part. */
  private static final List<Collective> NEEDED =
      List.of(
          Collective.REDUCE_SCATTER,
          Collective.REDUCE,
          Collective.ALL_GATHER,
          Collective.BROADCAST);

  private final PlanContext context;
  private final CollectiveCall call;
  private final Cluster cluster;
  private final ProgramBuilder program;
  private final int rank;

  AllReducePlanner(PlanContext context, CollectiveCall call, int rank) {
    this.context = context;
    this.call = call;
    this.rank = rank;
    this.cluster = context.clustering().clusterOf(rank);
    this.program = new ProgramBuilder(call, rank);
  }

  Plan plan() {
    checkDeclared();
    if (call.count() > 0) {
      if (context.clustering().size() == 1) {
        planAlone();
      } else if (context.clustering().clusters().size() == 1
          && declares(cluster, Collective.ALL_REDUCE, call.op())) {
        planHomogeneous();
      } else {
        planSegments();
      }
    }
    return program.build();
  }

  private void planAlone() {
    if (!call.inPlace()) {
      program.add(
          new Action.Copy(
              new Range(Space.INPUT, 0, call.count()), new Range(Space.OUTPUT, 0, call.count())),
          List.of());
    }
  }

  private void planHomogeneous() {
    program.add(
        new Action.IntraCall(
            Collective.ALL_REDUCE,
            new Range(Space.INPUT, 0, call.count()),
            new Range(Space.OUTPUT, 0, call.count()),
            call.op(),
            0),
        List.of());
  }

  private void planSegments() {
    long segment = segmentElements();
    List<AllReduceSegment> segments = new ArrayList<>();
    long stride = 0;
    for (long start = 0; start < call.count(); start += segment) {
      Sharding sharding =
          new Sharding(
              context.clustering().clusters(), start, Math.min(segment, call.count() - start));
      AllReduceSegment next = new AllReduceSegment(context, call, rank, sharding);
      segments.add(next);
      stride = Math.max(stride, next.stageElements());
    }
    for (int tick = 0; tick < segments.size() + 2; tick++) {
      if (tick < segments.size()) {
        int slot = tick % SEGMENTS_IN_FLIGHT;
        List<Integer> free =
            tick < SEGMENTS_IN_FLIGHT
                ? List.of()
                : segments.get(tick - SEGMENTS_IN_FLIGHT).released();
        segments.get(tick).reduce(program, slot * stride, free);
      }
      if (tick >= 1 && tick - 1 < segments.size()) {
        segments.get(tick - 1).cross(program);
      }
      if (tick >= 2) {
        segments.get(tick - 2).gather(program);
      }
    }
  }

  /** Whole units per segment, so that only the last one has a tail. */
  private long segmentElements() {
    long elements = context.tuning().segmentBytes() / call.type().sizeBytes();
    long unit = Sharding.unit(context.clustering().clusters(), elements);
    return unit > elements ? elements : elements / unit * unit;
  }

  private void checkDeclared() {
    ReduceOp inner = call.op() == ReduceOp.AVG ? ReduceOp.SUM : call.op();
    for (Cluster each : context.clustering().clusters()) {
      for (Collective needed : each.size() == 1 ? List.<Collective>of() : NEEDED) {
        if (!declares(each, needed, inner)) {
          throw new UnsupportedException(
              call
                  + ": the library of cluster "
                  + each.index()
                  + " ("
                  + each.vendor()
                  + ") does not declare "
                  + needed.text()
                  + " of "
                  + call.type().text()
                  + " by "
                  + inner.text()
                  + "; nothing was started");
        }
      }
    }
  }

  private boolean declares(Cluster each, Collective collective, ReduceOp op) {
    Capabilities declared = context.capabilities().get(each.index());
    return declared.supports(collective, call.type(), op);
  }
}
