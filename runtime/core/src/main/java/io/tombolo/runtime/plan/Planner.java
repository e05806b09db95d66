// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Primitive;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Cluster;
import java.util.List;
import java.util.Optional;

/**
 * Turns a call into one rank's program. A pure function of the agreed context, the call and the
 * rank: all ranks that agree on the context plan programs that fit together.
 */
public final class Planner {
  /** Up to here messages between ranks of one host take some 10 µs, and 20 from 64 KiB on. */
  private static final long QUICK_BYTES = 16 << 10;

  private final PlanContext context;

  /** A planner for jobs that agreed on {@code context}. */
  public Planner(PlanContext context) {
    this.context = context;
  }

  /**
   * The program of {@code rank} for {@code call}.
   *
   * @throws UsageException if the call does not fit the job: no such root, not a block for each
   *     rank, a rank that disagrees with itself
   */
  public Plan plan(CollectiveCall call, int rank) {
    return plan(call, rank, Integer.MAX_VALUE);
  }

  /**
   * As the other, of the {@code first} segments and the last one only: no program to be run, but
   * one that shows what the whole is like, as each segment in between has as many steps as another.
   */
  public Plan plan(CollectiveCall call, int rank, int first) {
    check(call, rank);
    ProgramBuilder program = new ProgramBuilder(call, rank);
    Buffers buffers = new Buffers(call, rank, context.clustering().size());
    Optional<Primitive> flat = flat(call);
    Optional<Primitive> whole = whole(call);
    if (isAlone(call)) {
      planAlone(program, buffers);
      return program.build(Scheme.ALONE);
    }
    if (flat.isPresent()) {
      return planThrough(program, buffers, flat.get(), Action.Members.EVERYONE);
    }
    if (whole.isPresent()) {
      return planThrough(program, buffers, whole.get(), Action.Members.CLUSTER);
    }
    Cutting cutting = cutting(call, rank);
    Pipeline.run(program, ends(cutting.segments(), first));
    return program.build(cutting.scheme());
  }

  /** How many segments {@code call} is cut into; 1 if it is not cut. */
  public int segments(CollectiveCall call, int rank) {
    check(call, rank);
    return isAlone(call) || flat(call).isPresent() || whole(call).isPresent()
        ? 1
        : cutting(call, rank).segments().size();
  }

  private Cutting cutting(CollectiveCall call, int rank) {
    Grouping grouping = Grouping.of(context, cluster -> Needs.of(call).metBy(declared(cluster)));
    long elements = context.tuning().segmentBytes() / call.type().sizeBytes();
    return new Cutting(journey(call, rank, grouping), elements);
  }

  private static ImmutableList<Segment> ends(List<? extends Segment> all, int first) {
    return first >= all.size() - 1
        ? ImmutableList.copyOf(all)
        : ImmutableList.<Segment>builder()
            .addAll(all.subList(0, first))
            .add(all.get(all.size() - 1))
            .build();
  }

  /**
   * Whether {@code call} is one call of the host library by all ranks: they need no libraries of
   * theirs then, and nothing goes between clusters.
   */
  public boolean isFlat(CollectiveCall call) {
    return flat(call).isPresent();
  }

  /** How {@code call} will go between clusters, unless it {@linkplain #isFlat is flat}. */
  public Algorithm algorithm(CollectiveCall call) {
    return context.tuning().algorithm(context, call);
  }

  private void check(CollectiveCall call, int rank) {
    int size = context.clustering().size();
    if (call.root() >= size) {
      throw new UsageException(
          call + ": there is no rank " + call.root() + "; ranks are 0 … " + (size - 1));
    }
    for (Layout layout : List.of(call.layout().sends(), call.layout().receives())) {
      if (layout instanceof Layout.Uneven uneven && uneven.counts().length() != size) {
        throw new UsageException(
            call + ": " + uneven.counts().length() + " blocks for " + size + " ranks");
      }
    }
    long kept = call.layout().sends().count(rank);
    long expected = call.layout().receives().count(rank);
    if (kept != expected) {
      throw new UsageException(
          call + ": rank " + rank + " sends itself " + kept + " elements but receives " + expected);
    }
  }

  private boolean isAlone(CollectiveCall call) {
    return context.clustering().size() == 1 && !call.reduction().hostOnly();
  }

  /** A job of one rank only moves what it has from input to output. */
  private static void planAlone(ProgramBuilder program, Buffers buffers) {
    CollectiveCall call = buffers.call();
    Signature signature = call.collective().signature();
    long count = call.layout().sends().count(0);
    Layout sends = call.layout().sends();
    Layout receives = call.layout().receives();
    Range from = buffers.in(signature.input().spreads() ? sends.offset(0) : 0, count);
    Range to = buffers.out(signature.output().spreads() ? receives.offset(0) : 0, count);
    if (count > 0 && buffers.hasOutput() && !from.equals(to)) {
      program.add(new Action.Copy(from, to), List.of());
    }
  }

  /** What the host library is asked for, if all ranks have it and nobody wishes for another way. */
  private Optional<Primitive> flat(CollectiveCall call) {
    return context.tuning().algorithms().choose(call.collective(), call.blockBytes()).isPresent()
            || isQuickBetweenRanks(call)
        ? Optional.empty()
        : context.flat().flatMap(declared -> whole(call, declared));
  }

  /** Whether messages do it sooner than a thread wakes, on which queued calls of a library are. */
  private boolean isQuickBetweenRanks(CollectiveCall call) {
    return call.blockBytes() <= QUICK_BYTES
        && context.clustering().clusters().stream().allMatch(cluster -> cluster.size() == 1);
  }

  /** What the library of the only cluster is asked for if it does all of it by itself. */
  private Optional<Primitive> whole(CollectiveCall call) {
    return context.clustering().clusters().size() == 1
        ? whole(call, context.capabilities().get(0))
        : Optional.empty();
  }

  private static Optional<Primitive> whole(CollectiveCall call, Capabilities declared) {
    boolean fits = call.layout() instanceof Layout.Even even && even.count() > 0;
    return call.collective()
        .row()
        .whole()
        .filter(whole -> fits && Needs.ofWhole(call, whole).metBy(declared));
  }

  /**
   * One call of the library. Libraries know no all-to-all in place, but other members may be out of
   * place, so whoever is in place makes the same call from a copy.
   */
  private static Plan planThrough(
      ProgramBuilder program, Buffers buffers, Primitive whole, Action.Members members) {
    CollectiveCall call = buffers.call();
    int rank = buffers.rank();
    Range input = buffers.in(0, call.inputElements(rank, buffers.size()));
    List<Integer> copied = List.of();
    if (whole == Primitive.ALL_TO_ALL && call.inPlace()) {
      Range copy = new Range(Space.SCRATCH, 0, input.length());
      copied = List.of(program.add(new Action.Copy(input, copy), List.of()));
      input = copy;
    }
    program.add(
        new Action.IntraCall(
            whole,
            input,
            buffers.out(0, call.outputElements(rank, buffers.size())),
            call.reduction() instanceof Reduction.By by ? by.op() : call.reduction().inner(),
            call.root(),
            members),
        copied);
    return program.build(Scheme.through(members, whole));
  }

  private Journey journey(CollectiveCall call, int rank, Grouping grouping) {
    Algorithm algorithm = distinct(algorithm(call), grouping);
    if (algorithm == Algorithm.PIECES) {
      return new Journey(call, rank, grouping, algorithm);
    }
    int rootsCluster = grouping.clusterOf(call.root()).index();
    boolean rooted = call.collective().isRooted();
    Grouping leaders =
        grouping.withRelays(
            cluster ->
                Relays.only(
                    rooted && cluster.index() == rootsCluster
                        ? cluster.positionOf(call.root())
                        : grouping.relays(cluster).leader(),
                    cluster.size()));
    return new Journey(call, rank, leaders, algorithm);
  }

  /** Between two clusters, one round of doubling is the direct exchange. */
  private static Algorithm distinct(Algorithm algorithm, Grouping grouping) {
    return algorithm == Algorithm.DOUBLING && grouping.clusters().size() <= 2
        ? Algorithm.DIRECT
        : algorithm;
  }

  private Capabilities declared(Cluster cluster) {
    return context.capabilities().get(cluster.index());
  }
}
