package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * Turns a call into one rank's program. A pure function of the agreed context, the call and the
 * rank: all ranks that agree on the context plan programs that fit together.
 */
public final class Planner {
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
    check(call, rank);
    ProgramBuilder program = new ProgramBuilder(call, rank);
    if (context.clustering().size() == 1 && !call.reduction().hostOnly()) {
      planAlone(program, new Buffers(call, rank, 1));
    } else if (passesThrough(call)) {
      planThrough(program, new Buffers(call, rank, context.clustering().size()));
    } else {
      Grouping grouping = Grouping.of(context, cluster -> Needs.of(call).metBy(declared(cluster)));
      planSegments(program, journey(call, rank, grouping));
    }
    return program.build();
  }

  /** How {@code call} will go between clusters. */
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

  /** A job of one rank only moves what it has from input to output. */
  private static void planAlone(ProgramBuilder program, Buffers buffers) {
    CollectiveCall call = buffers.call();
    long count = call.layout().sends().count(0);
    Layout sends = call.layout().sends();
    Layout receives = call.layout().receives();
    Range from = buffers.in(call.spreadsInput() ? sends.offset(0) : 0, count);
    Range to = buffers.out(call.spreadsOutput() ? receives.offset(0) : 0, count);
    if (count > 0 && !from.equals(to)) {
      program.add(new Action.Copy(from, to), List.of());
    }
  }

  /** Whether the library of the only cluster does all of it by itself. */
  private boolean passesThrough(CollectiveCall call) {
    return context.clustering().clusters().size() == 1
        && call.layout() instanceof Layout.Even even
        && even.count() > 0
        && Needs.ofWhole(call).metBy(context.capabilities().get(0));
  }

  /**
   * One call of the library. Libraries know no all-to-all in place, but other members may be out of
   * place, so whoever is in place makes the same call from a copy.
   */
  private static void planThrough(ProgramBuilder program, Buffers buffers) {
    CollectiveCall call = buffers.call();
    int rank = buffers.rank();
    Range input = buffers.in(0, call.inputElements(rank, buffers.size()));
    List<Integer> copied = List.of();
    if (call.collective() == Collective.ALL_TO_ALL && call.inPlace()) {
      Range copy = new Range(Space.SCRATCH, 0, input.length());
      copied = List.of(program.add(new Action.Copy(input, copy), List.of()));
      input = copy;
    }
    program.add(
        new Action.IntraCall(
            call.collective(),
            input,
            buffers.out(0, call.outputElements(rank, buffers.size())),
            call.reduction() instanceof Reduction.By by ? by.op() : call.reduction().inner(),
            call.root()),
        copied);
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

  private void planSegments(ProgramBuilder program, Journey journey) {
    CollectiveCall call = journey.call();
    switch (call.collective().even()) {
      case ALL_REDUCE, REDUCE, BROADCAST -> {
        long count = call.layout().count(0);
        long most = vectorSegment(journey);
        Pipeline.run(
            program,
            segments(
                count,
                most,
                start ->
                    new VectorSegment(journey, new Lane(start, Math.min(start + most, count)))));
      }
      case ALL_GATHER ->
          runBlocks(
              program,
              journey,
              most -> start -> new AllGatherSegment(journey, window(call, start, most)));
      case REDUCE_SCATTER ->
          runBlocks(
              program,
              journey,
              most -> start -> new ReduceScatterSegment(journey, window(call, start, most)));
      case BARRIER -> {}
      default ->
          runBlocks(program, journey, most -> start -> new PairSegment(journey, start, most));
    }
  }

  private static BlockWindow window(CollectiveCall call, long start, long most) {
    return new BlockWindow(call.layout(), start, most);
  }

  private void runBlocks(
      ProgramBuilder program, Journey journey, LongFunction<LongFunction<Segment>> segment) {
    int size = journey.grouping().size();
    Layout layout = journey.call().layout();
    long count =
        IntStream.range(0, size)
            .mapToLong(rank -> Math.max(layout.sends().count(rank), layout.receives().count(rank)))
            .max()
            .orElse(0);
    int blocks = journey.call().collective() == Collective.EXCHANGE ? 1 : size;
    long most = Math.max(1, segmentElements(journey.call()) / blocks);
    long least = layout instanceof Layout.Pairwise ? 1 : 0;
    Pipeline.run(program, segments(Math.max(count, least), most, segment.apply(most)));
  }

  private static List<Segment> segments(long count, long most, LongFunction<Segment> segment) {
    List<Segment> segments = new ArrayList<>();
    for (long start = 0; start < count; start += most) {
      segments.add(segment.apply(start));
    }
    return segments;
  }

  private long segmentElements(CollectiveCall call) {
    return context.tuning().segmentBytes() / call.type().sizeBytes();
  }

  /** Whole units per segment, so that only the last one has a tail. */
  private long vectorSegment(Journey journey) {
    long elements = segmentElements(journey.call());
    ImmutableList<Cluster> clusters = journey.grouping().clusters();
    long unit = Sharding.unit(clusters, elements);
    return unit > elements ? elements : elements / unit * unit;
  }

  private Capabilities declared(Cluster cluster) {
    return context.capabilities().get(cluster.index());
  }
}
