package io.tombolo.runtime.plan;

import io.tombolo.base.Collective;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs plans on real numbers in a random legal order: an oracle for the verifier that shares
 * nothing with it.
 *
 * <p>A step starts (and reads) when what it waits for has ended and its resource is at it, and ends
 * (and writes) some time later. Messages are buffered without bound, so whatever order real
 * channels and streams could give can happen.
 */
final class LooseExecutor {
  private static final long POISON = 0x5EED_DEAD_0000_0001L;

  private final Clustering clustering;
  private final List<Plan> plans;
  private final Random random;
  private final List<Map<Space, long[]>> memory = new ArrayList<>();
  private final List<boolean[]> started = new ArrayList<>();
  private final List<boolean[]> ended = new ArrayList<>();
  private final Map<List<Integer>, List<long[]>> wires = new HashMap<>();
  private final Map<List<Integer>, long[]> contributions = new HashMap<>();
  private final Map<List<Integer>, long[]> readings = new HashMap<>();

  LooseExecutor(Clustering clustering, List<Plan> plans, long seed) {
    this.clustering = clustering;
    this.plans = plans;
    this.random = new Random(seed);
    for (Plan plan : plans) {
      Map<Space, long[]> spaces = new EnumMap<>(Space.class);
      int count = (int) plan.call().layout().count(0);
      long[] output = plan.call().inPlace() ? input(plan.rank(), count) : poison(count);
      spaces.put(Space.OUTPUT, output);
      spaces.put(Space.INPUT, plan.call().inPlace() ? output : input(plan.rank(), count));
      spaces.put(Space.STAGE, poison((int) plan.stageElements()));
      memory.add(spaces);
      started.add(new boolean[plan.steps().size()]);
      ended.add(new boolean[plan.steps().size()]);
    }
  }

  /** Whether every rank ends with the sum of all inputs, and untouched inputs. */
  boolean computesTheSum() {
    try {
      while (oneMove()) {}
    } catch (RuntimeException wrong) {
      return false;
    }
    for (Plan plan : plans) {
      int count = (int) plan.call().layout().count(0);
      for (int i = 0; i < count; i++) {
        long sum = 0;
        for (int rank = 0; rank < plans.size(); rank++) {
          sum += element(rank, i);
        }
        if (memory.get(plan.rank()).get(Space.OUTPUT)[i] != sum
            || (!plan.call().inPlace()
                && memory.get(plan.rank()).get(Space.INPUT)[i] != element(plan.rank(), i))) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean oneMove() {
    List<Runnable> moves = new ArrayList<>();
    for (Plan plan : plans) {
      for (Step step : plan.steps()) {
        if (!started.get(plan.rank())[step.id()] && mayStart(plan, step)) {
          moves.add(() -> start(plan, step));
        } else if (started.get(plan.rank())[step.id()]
            && !ended.get(plan.rank())[step.id()]
            && mayEnd(plan, step)) {
          moves.add(() -> end(plan, step));
        }
      }
    }
    if (moves.isEmpty()) {
      return false;
    }
    moves.get(random.nextInt(moves.size())).run();
    return true;
  }

  private boolean mayStart(Plan plan, Step step) {
    if (!step.after().stream().allMatch(earlier -> ended.get(plan.rank())[earlier])) {
      return false;
    }
    Resource resource = Resource.of(step.action());
    boolean streamOrdered = resource.kind() == Resource.Kind.VENDOR;
    for (Step earlier : plan.steps().subList(0, step.id())) {
      boolean passed = (streamOrdered ? ended : started).get(plan.rank())[earlier.id()];
      if (!passed && Resource.of(earlier.action()).equals(resource)) {
        return false;
      }
    }
    return true;
  }

  private void start(Plan plan, Step step) {
    started.get(plan.rank())[step.id()] = true;
    Action action = step.action();
    if (action instanceof Action.Send send) {
      wires
          .computeIfAbsent(List.of(plan.rank(), send.peer()), key -> new ArrayList<>())
          .add(read(plan, send.from()));
    } else if (action instanceof Action.IntraCall call) {
      contributions.put(List.of(plan.rank(), vendorIndex(plan, step)), read(plan, call.input()));
    } else if (action instanceof Action.Combine combine) {
      readings.put(
          List.of(plan.rank(), step.id()),
          sum(read(plan, combine.left()), read(plan, combine.right())));
    } else if (action instanceof Action.Copy copy) {
      readings.put(List.of(plan.rank(), step.id()), read(plan, copy.from()));
    }
  }

  private boolean mayEnd(Plan plan, Step step) {
    if (step.action() instanceof Action.Receive receive) {
      List<long[]> wire = wires.getOrDefault(List.of(receive.peer(), plan.rank()), List.of());
      return ordinal(plan, step) < wire.size() && earlierReceivesEnded(plan, step, receive.peer());
    }
    if (step.action() instanceof Action.IntraCall call) {
      Cluster cluster = clustering.clusterOf(plan.rank());
      int index = vendorIndex(plan, step);
      return switch (call.collective()) {
        case BROADCAST -> contributions.containsKey(List.of(cluster.rank(call.root()), index));
        case REDUCE ->
            cluster.positionOf(plan.rank()) != call.root()
                || cluster.ranks().stream()
                    .allMatch(rank -> contributions.containsKey(List.of(rank, index)));
        default ->
            cluster.ranks().stream()
                .allMatch(rank -> contributions.containsKey(List.of(rank, index)));
      };
    }
    return true;
  }

  private boolean earlierReceivesEnded(Plan plan, Step step, int peer) {
    return plan.steps().subList(0, step.id()).stream()
        .allMatch(
            earlier ->
                !(earlier.action() instanceof Action.Receive other && other.peer() == peer)
                    || ended.get(plan.rank())[earlier.id()]);
  }

  private void end(Plan plan, Step step) {
    ended.get(plan.rank())[step.id()] = true;
    Action action = step.action();
    if (action instanceof Action.Receive receive) {
      write(
          plan,
          receive.to(),
          wires.get(List.of(receive.peer(), plan.rank())).get(ordinal(plan, step)));
    } else if (action instanceof Action.IntraCall call) {
      endVendorCall(plan, step, call);
    } else if (action instanceof Action.Combine combine) {
      write(plan, combine.into(), readings.get(List.of(plan.rank(), step.id())));
    } else if (action instanceof Action.Copy copy) {
      write(plan, copy.to(), readings.get(List.of(plan.rank(), step.id())));
    }
  }

  private void endVendorCall(Plan plan, Step step, Action.IntraCall call) {
    Cluster cluster = clustering.clusterOf(plan.rank());
    int index = vendorIndex(plan, step);
    int position = cluster.positionOf(plan.rank());
    if (call.collective() == Collective.REDUCE && position != call.root()) {
      return;
    }
    int length = (int) call.output().length();
    long[] result = new long[length];
    for (int member = 0; member < cluster.size(); member++) {
      long[] given = contributions.get(List.of(cluster.rank(member), index));
      for (int i = 0; i < length; i++) {
        switch (call.collective()) {
          case ALL_REDUCE, REDUCE -> result[i] += given[i];
          case REDUCE_SCATTER -> result[i] += given[position * length + i];
          case ALL_GATHER ->
              result[i] =
                  i / (length / cluster.size()) == member ? given[i % given.length] : result[i];
          case BROADCAST -> result[i] = member == call.root() ? given[i] : result[i];
          default -> throw new IllegalStateException("no such vendor call: " + call);
        }
      }
    }
    write(plan, call.output(), result);
  }

  private int vendorIndex(Plan plan, Step step) {
    return (int)
        plan.steps().subList(0, step.id()).stream()
            .filter(s -> s.action() instanceof Action.IntraCall)
            .count();
  }

  private static int ordinal(Plan plan, Step step) {
    int peer = ((Action.Receive) step.action()).peer();
    return (int)
        plan.steps().subList(0, step.id()).stream()
            .filter(
                earlier -> earlier.action() instanceof Action.Receive other && other.peer() == peer)
            .count();
  }

  private long[] read(Plan plan, Range range) {
    long[] from = memory.get(plan.rank()).get(range.space());
    long[] values = new long[(int) range.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = from[(int) range.offset() + i];
    }
    return values;
  }

  private void write(Plan plan, Range range, long[] values) {
    if (values.length != range.length()) {
      throw new IllegalStateException("lengths differ");
    }
    System.arraycopy(
        values, 0, memory.get(plan.rank()).get(range.space()), (int) range.offset(), values.length);
  }

  private static long[] sum(long[] left, long[] right) {
    long[] sum = new long[left.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = left[i] + right[i];
    }
    return sum;
  }

  private static long[] input(int rank, int count) {
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = element(rank, i);
    }
    return values;
  }

  private static long element(int rank, int index) {
    return 1_000_003L * (rank + 1) * (rank + 7) + 7919L * index * (rank + 1);
  }

  private static long[] poison(int count) {
    long[] values = new long[count];
    java.util.Arrays.fill(values, POISON);
    return values;
  }
}
