// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Plans move between clusters what the bounds say, and no element more. */
public class VolumeTest {
  /** Elements of a vector, or of a block; divides by all that a lane is cut into. */
  private static final long COUNT = 50_400;

  private static final List<String> PRINTED = List.of("aaabbbbb", "aaabbc", "aaabbcdddd");
  private static final Reduction SUM = new Reduction.By(ReduceOp.SUM);

  /** What must leave a cluster, enter it, and cross in total; -1 where there is no bound. */
  private record Volume(long out, long in, long total) {}

  @DataProvider
  public Object[][] worlds() {
    return Stream.of(
            "ab",
            "aabb",
            "abab",
            "aaabbbbb",
            "abababbb",
            "abc",
            "aabbcc",
            "abcabc",
            "aaabbc",
            "caabab",
            "abcd",
            "aabbccdd",
            "abcdabcd",
            "aaabbcdddd",
            "dabcabad")
        .map(word -> new Object[] {word})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "worlds")
  public void shouldMoveNoMoreThanTheBound(String word) {
    Clustering clustering = Worlds.clustering(word);
    PlanContext context = Worlds.context(word, 1 << 20);
    StringBuilder table = new StringBuilder();
    for (CollectiveCall call : calls(word.length() - 1)) {
      List<Plan> plans = Worlds.plans(context, call);
      table.append(String.format("%-10s %-14s bound/planned:", word, call.collective().text()));
      for (Cluster cluster : clustering.clusters()) {
        Volume bound = bound(call, clustering, cluster.index());
        Volume counted = counted(plans, clustering, cluster.index());
        check(bound.out(), counted.out(), word + ", out of " + cluster + ": " + call, table);
        check(bound.in(), counted.in(), word + ", into " + cluster + ": " + call, table);
        if (cluster.index() == 0) {
          check(bound.total(), counted.total(), word + ", in total: " + call, table);
        }
      }
      table.append('\n');
    }
    if (PRINTED.contains(word)) {
      System.out.print(table);
    }
  }

  private static void check(long bound, long counted, String what, StringBuilder table) {
    table.append(' ').append(bound < 0 ? "-" : bound).append('/').append(counted);
    if (bound >= 0) {
      assertEquals(counted, bound, what);
    }
  }

  /** The bounds by themselves, from the sizes of the clusters alone. */
  private static Volume bound(CollectiveCall call, Clustering clustering, int index) {
    long clusters = clustering.clusters().size();
    long ranks = clustering.size();
    long mine = clustering.clusters().get(index).size();
    long roots = clustering.clusterOf(call.root()).size();
    long crossing = 0;
    for (Cluster each : clustering.clusters()) {
      crossing += each.size() * (ranks - each.size()) * COUNT;
    }
    long foreign = (ranks - mine) * COUNT;
    return switch (call.collective()) {
      case ALL_REDUCE ->
          new Volume(
              2 * (clusters - 1) * COUNT / clusters, 2 * (clusters - 1) * COUNT / clusters, -1);
      case ALL_GATHER -> new Volume(-1, foreign, -1);
      case REDUCE_SCATTER -> new Volume(foreign, -1, -1);
      case BROADCAST, REDUCE -> new Volume(-1, -1, (clusters - 1) * COUNT);
      case GATHER, SCATTER -> new Volume(-1, -1, (ranks - roots) * COUNT);
      case ALL_TO_ALL -> new Volume(mine * foreign, mine * foreign, crossing);
      case SCAN, EXSCAN -> neighbours(clustering, index);
      case BARRIER, ALL_GATHER_V, REDUCE_SCATTER_V, GATHER_V, SCATTER_V, ALL_TO_ALL_V, EXCHANGE ->
          throw new IllegalArgumentException("no bound is known here of " + call);
    };
  }

  /** Of a scan: one vector for each two ranks in succession that are of different clusters. */
  private static Volume neighbours(Clustering clustering, int index) {
    long out = 0;
    long in = 0;
    long total = 0;
    for (int rank = 1; rank < clustering.size(); rank++) {
      int from = clustering.clusterOf(rank - 1).index();
      int to = clustering.clusterOf(rank).index();
      out += from == index && to != index ? COUNT : 0;
      in += to == index && from != index ? COUNT : 0;
      total += from != to ? COUNT : 0;
    }
    return new Volume(out, in, total);
  }

  private static Volume counted(List<Plan> plans, Clustering clustering, int index) {
    long out = 0;
    long in = 0;
    long total = 0;
    for (Plan plan : plans) {
      for (Step step : plan.steps()) {
        if (step.action() instanceof Action.Send send) {
          long length = send.from().length();
          int from = clustering.clusterOf(plan.rank()).index();
          int to = clustering.clusterOf(send.peer()).index();
          out += from == index && to != index ? length : 0;
          in += to == index && from != index ? length : 0;
          total += from != to ? length : 0;
        }
      }
    }
    return new Volume(out, in, total);
  }

  private static List<CollectiveCall> calls(int root) {
    List<CollectiveCall> calls = new ArrayList<>();
    Reduction none = new Reduction.None();
    Layout even = new Layout.Even(COUNT);
    calls.add(vector(Collective.ALL_REDUCE, SUM, 0));
    calls.add(vector(Collective.REDUCE, SUM, root));
    calls.add(vector(Collective.SCAN, SUM, 0));
    calls.add(vector(Collective.EXSCAN, SUM, 0));
    calls.add(vector(Collective.BROADCAST, none, root));
    calls.add(CollectiveCall.reduceScatter(even, DataType.F32, SUM, false));
    for (Collective each :
        List.of(
            Collective.ALL_GATHER, Collective.GATHER, Collective.SCATTER, Collective.ALL_TO_ALL)) {
      calls.add(CollectiveCall.move(each, even, DataType.F32, root, false));
    }
    return calls;
  }

  private static CollectiveCall vector(Collective collective, Reduction reduction, int root) {
    return CollectiveCall.vector(collective, COUNT, DataType.F32, reduction, root, false);
  }
}
