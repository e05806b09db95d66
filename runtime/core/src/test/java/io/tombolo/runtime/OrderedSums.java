// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/**
 * What every rank gives, and its sums in the documented orders, each addition rounded once. A
 * shorter vector's numbers are the first of a longer one's.
 */
final class OrderedSums {
  /** Of all random numbers. */
  static final long SEED = 20_261;

  private static final Set<Primitive> NEEDED =
      Set.of(Primitive.REDUCE_SCATTER, Primitive.REDUCE, Primitive.ALL_GATHER, Primitive.BROADCAST);

  private final PlanContext context;
  private final DataType type;
  private final FloatFormat format;
  private final int count;

  OrderedSums(PlanContext context, DataType type, int count) {
    this.context = context;
    this.type = type;
    this.format = FloatFormat.of(type);
    this.count = count;
  }

  /** The bits of a rank's values: some near others' in size, some so small that they round away. */
  int[] given(int rank) {
    return bits(values(rank));
  }

  /** Cluster by cluster. */
  int[] inOrder() {
    List<double[]> sums = partialSums();
    while (sums.size() > 1) {
      addNext(sums, 0);
    }
    return bits(sums.get(0));
  }

  /** Rank by rank. */
  int[] inRankOrder() {
    double[] sum = values(0);
    for (int rank = 1; rank < context.clustering().size(); rank++) {
      add(sum, values(rank));
    }
    return bits(sum);
  }

  /** Neighbour with neighbour: the first ones until a power of two is left, then all of them. */
  int[] doubled() {
    List<double[]> sums = partialSums();
    int tooMany = sums.size() - Integer.highestOneBit(sums.size());
    for (int at = 0; at < tooMany; at++) {
      addNext(sums, at);
    }
    while (sums.size() > 1) {
      for (int at = 0; at < sums.size(); at++) {
        addNext(sums, at);
      }
    }
    return bits(sums.get(0));
  }

  private double[] values(int rank) {
    SplittableRandom random = new SplittableRandom(SEED + rank);
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      double value = (random.nextInt(2001) - 1000) / 977.0;
      values[i] = format.round(value * (1 << random.nextInt(12)) / 256);
    }
    return values;
  }

  private List<double[]> partialSums() {
    List<double[]> sums = new ArrayList<>();
    for (List<Integer> group : groups()) {
      double[] partial = values(group.get(0));
      group.stream().skip(1).forEach(rank -> add(partial, values(rank)));
      sums.add(partial);
    }
    return sums;
  }

  private void addNext(List<double[]> sums, int at) {
    add(sums.get(at), sums.remove(at + 1));
  }

  private void add(double[] sum, double[] more) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] = format.round(sum[i] + more[i]);
    }
  }

  private int[] bits(double[] values) {
    return DoubleStream.of(values).mapToInt(format::bits).toArray();
  }

  /**
   * Who is added up first, in the order of their lowest ranks: a cluster, or a single rank whose
   * library lacks what the plans ask for.
   */
  private Iterable<List<Integer>> groups() {
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
}
