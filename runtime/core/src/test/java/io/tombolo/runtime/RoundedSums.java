package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.topology.Cluster;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Sums of floats that have to be rounded, so that their last bits tell in which order they were
 * added. Every rank must hold the bits of the documented order: inside a cluster as the emulated
 * libraries add, member by member; then cluster by cluster, or by doubling neighbour with
 * neighbour. Each addition rounds once. A vendor's own library has an order of its own; there all
 * ranks must hold the same bits, whichever.
 */
final class RoundedSums {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long SEED = 20_261;
  private static final DataType[] TYPES = {DataType.F32, DataType.F16, DataType.BF16};

  /** Few enough for the direct way, and enough for pieces. */
  private static final int[] COUNTS = {7, 100_003};

  private static final Reduction SUM = new Reduction.By(ReduceOp.SUM);
  private static final Set<Collective> NEEDED =
      Set.of(
          Collective.REDUCE_SCATTER,
          Collective.REDUCE,
          Collective.ALL_GATHER,
          Collective.BROADCAST);

  private final Communicator all;
  private final int size;

  RoundedSums(Communicator all) {
    this.all = all;
    this.size = all.size();
  }

  private interface Call {
    Work make(long send, long receive, Stream stream);
  }

  void run() {
    for (DataType type : TYPES) {
      for (int count : COUNTS) {
        allReduce(type, count);
        if (isOrderKnown()) {
          rooted(type, count);
          scattered(type, count);
        }
      }
    }
  }

  private void allReduce(DataType type, int count) {
    int[] sums =
        result(
            type,
            given(type, all.rank(), count),
            count,
            (in, out, stream) -> all.allReduce(in, out, count, type, ReduceOp.SUM, stream));
    if (isOrderKnown()) {
      CollectiveCall call = CollectiveCall.allReduce(count, type, ReduceOp.SUM, false);
      boolean doubles = new Planner(all.context()).algorithm(call) == Algorithm.DOUBLING;
      expect("all_reduce", type, doubles ? doubled(type, count) : expected(type, count), 0, sums);
    }
    int[] everyones =
        result(
            type,
            sums,
            count * size,
            (in, out, stream) -> all.allGather(in, out, new Layout.Even(count), type, stream));
    for (int rank = 0; rank < size; rank++) {
      expect("all_reduce of rank " + rank, type, everyones, rank * count, sums);
    }
  }

  private void rooted(DataType type, int count) {
    int root = size - 1;
    boolean mine = all.rank() == root;
    int[] found =
        result(
            type,
            given(type, all.rank(), count),
            mine ? count : 0,
            (in, out, stream) -> all.reduce(in, out, count, type, SUM, root, stream));
    expect("reduce", type, expected(type, count), 0, found);
  }

  private void scattered(DataType type, int count) {
    int[] found =
        result(
            type,
            given(type, all.rank(), count * size),
            count,
            (in, out, stream) ->
                all.reduceScatter(in, out, new Layout.Even(count), type, SUM, stream));
    expect("reduce_scatter", type, expected(type, count * size), all.rank() * count, found);
  }

  private boolean isOrderKnown() {
    return all.context().clustering().clusters().stream()
        .allMatch(cluster -> cluster.vendor().startsWith("emu-"));
  }

  /** The bits of a rank's values: some near others' in size, some so small that they round away. */
  private static int[] given(DataType type, int rank, int count) {
    FloatFormat format = FloatFormat.of(type);
    double[] values = values(format, rank, count);
    return IntStream.range(0, count).map(i -> format.bits(values[i])).toArray();
  }

  private static double[] values(FloatFormat format, int rank, int count) {
    Random random = new Random(SEED + rank);
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      double value = (random.nextInt(2001) - 1000) / 977.0;
      values[i] = format.round(Math.scalb(value, random.nextInt(12) - 8));
    }
    return values;
  }

  /** Cluster by cluster. */
  private int[] expected(DataType type, int count) {
    List<double[]> sums = partialSums(type, count);
    while (sums.size() > 1) {
      addNext(type, sums, 0);
    }
    return bits(type, sums.get(0));
  }

  /** Neighbour with neighbour: the first ones until a power of two is left, then all of them. */
  private int[] doubled(DataType type, int count) {
    List<double[]> sums = partialSums(type, count);
    int tooMany = sums.size() - Integer.highestOneBit(sums.size());
    for (int at = 0; at < tooMany; at++) {
      addNext(type, sums, at);
    }
    while (sums.size() > 1) {
      for (int at = 0; at < sums.size(); at++) {
        addNext(type, sums, at);
      }
    }
    return bits(type, sums.get(0));
  }

  private static void addNext(DataType type, List<double[]> sums, int at) {
    add(FloatFormat.of(type), sums.get(at), sums.remove(at + 1));
  }

  private static int[] bits(DataType type, double[] values) {
    FloatFormat format = FloatFormat.of(type);
    return DoubleStream.of(values).mapToInt(format::bits).toArray();
  }

  private List<double[]> partialSums(DataType type, int count) {
    FloatFormat format = FloatFormat.of(type);
    List<double[]> sums = new ArrayList<>();
    for (List<Integer> group : groups(type)) {
      double[] partial = values(format, group.get(0), count);
      for (int rank : group.subList(1, group.size())) {
        add(format, partial, values(format, rank, count));
      }
      sums.add(partial);
    }
    return sums;
  }

  private static void add(FloatFormat format, double[] sum, double[] more) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] = format.round(sum[i] + more[i]);
    }
  }

  /**
   * Who is added up first, in the order of their lowest ranks: a cluster, or a single rank whose
   * library lacks what the plans ask for.
   */
  private Iterable<List<Integer>> groups(DataType type) {
    PlanContext context = all.context();
    TreeMap<Integer, List<Integer>> groups = new TreeMap<>();
    for (Cluster cluster : context.clustering().clusters()) {
      boolean together =
          NEEDED.stream()
              .allMatch(each -> context.capabilities().get(cluster.index()).supports(each, type));
      if (together) {
        groups.put(cluster.rank(0), cluster.ranks());
      } else {
        cluster.ranks().forEach(rank -> groups.put(rank, List.of(rank)));
      }
    }
    return groups.values();
  }

  private int[] result(DataType type, int[] given, int outputs, Call call) {
    try (Stream stream = all.device().newStream();
        DeviceArray input = array(stream, type, given.length);
        DeviceArray output = array(stream, type, outputs)) {
      for (int i = 0; i < given.length; i++) {
        put(input.bytes(), type, i, given[i]);
      }
      input.upload();
      call.make(input.address(), output.address(), stream).await(LIMIT);
      output.download();
      return IntStream.range(0, outputs).map(i -> get(output.bytes(), type, i)).toArray();
    }
  }

  private DeviceArray array(Stream stream, DataType type, int elements) {
    return new DeviceArray(all.device(), stream, type.sizeBytes() * Math.max(1, elements));
  }

  private static void put(ByteBuffer bytes, DataType type, int index, int bits) {
    if (type == DataType.F32) {
      bytes.putInt(index * Integer.BYTES, bits);
    } else {
      bytes.putShort(index * Short.BYTES, (short) bits);
    }
  }

  private static int get(ByteBuffer bytes, DataType type, int index) {
    return type == DataType.F32
        ? bytes.getInt(index * Integer.BYTES)
        : Short.toUnsignedInt(bytes.getShort(index * Short.BYTES));
  }

  private void expect(String what, DataType type, int[] wanted, int from, int[] found) {
    for (int i = 0; i < found.length; i++) {
      if (found[i] != wanted[from + i]) {
        throw new IllegalStateException(
            "rank %d of %d, %s of %s, seed %d: element %d is %x, not %x"
                .formatted(
                    all.rank(), size, what, type.text(), SEED, i, found[i], wanted[from + i]));
      }
    }
  }
}
