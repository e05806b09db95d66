// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What the plans of a call really depend on: calls that are alike in this have the same plans, so
 * that proving one proves all. {@link SmallWorldsTest} samples that it is so.
 *
 * <p>Of the libraries and relays that is what the call makes of them: which clusters stay together,
 * and who in them answers for which elements. Of a rooted call in place, it is whether the root is.
 * Where ranks have no blocks of their own, they are but {@link Names}.
 */
final class Sameness {
  /** What libraries are asked for where relays speak for their clusters. */
  private static final Set<Primitive> BY_RELAYS = Set.of(Primitive.REDUCE, Primitive.BROADCAST);

  private final Setting setting;
  private final List<CollectiveCall> calls;
  private final CollectiveCall call;
  private final Grouping grouping;
  private final Names names;
  private final boolean relayed;
  private final Algorithm algorithm;
  private final long longest;
  private final Hasher hasher = Hashing.murmur3_128().newHasher();

  private Sameness(Setting setting, PlanContext context, List<CollectiveCall> calls) {
    this.setting = setting;
    this.calls = calls;
    this.call = calls.get(0);
    this.longest =
        IntStream.range(0, calls.size()).mapToLong(call.layout()::count).max().orElseThrow();
    this.grouping =
        Grouping.of(
            context, each -> Needs.of(call).metBy(context.capabilities().get(each.index())));
    this.names = Names.of(grouping, call);
    this.algorithm = distinct(setting.algorithm());
    this.relayed = !Collections.disjoint(call.collective().row().inside(), BY_RELAYS);
  }

  /** Doubling is for all_reduce, and between two clusters the direct way. */
  private Algorithm distinct(Algorithm wanted) {
    boolean doubles =
        call.collective().even() == Collective.ALL_REDUCE && grouping.clusters().size() > 2;
    return wanted == Algorithm.DOUBLING && !doubles ? Algorithm.DIRECT : wanted;
  }

  /** The programs for {@code calls} in the words that calls with the same fingerprint share. */
  static List<ImmutableList<Step>> programs(
      Setting setting, PlanContext context, List<CollectiveCall> calls) {
    return new Sameness(setting, context, calls).names.in(Worlds.plans(context, calls));
  }

  /** A fingerprint of all that the plans for {@code calls} depend on. */
  static HashCode of(Setting setting, PlanContext context, List<CollectiveCall> calls) {
    Sameness same = new Sameness(setting, context, calls);
    same.putCall();
    if (same.passesThrough(context)) {
      return same.hasher.putInt(-1).hash();
    }
    same.putReach();
    same.hasher.putLong(same.isOneSegment() ? 0 : setting.segmentBytes());
    same.hasher.putString(
        same.call.collective().even() == Collective.ALL_REDUCE ? same.algorithm.text() : "", UTF_8);
    same.grouping.clusters().forEach(same::putCluster);
    return same.hasher.hash();
  }

  private void putCall() {
    hasher.putString(call.collective().text(), UTF_8).putInt(names.of(call.root()));
    hasher.putString(call.reduction().toString(), UTF_8);
    hasher.putBoolean(call.layout() instanceof Layout.Even).putLong(setting.count());
    for (int name = 0; name < calls.size(); name++) {
      int rank = names.rank(name);
      boolean counts = !call.collective().isRooted() || rank == call.root();
      hasher.putBoolean(counts && calls.get(rank).inPlace());
    }
  }

  private void putReach() {
    for (int name = 0; name < calls.size(); name++) {
      Reach reach = calls.get(names.rank(name)).reach();
      hasher.putBoolean(reach.input()).putBoolean(reach.output());
      hasher.putLong(reach.combinesFromBytes());
      putNames(reach.sends());
      putNames(reach.receives());
    }
  }

  private void putNames(Set<Integer> ranks) {
    hasher.putInt(ranks.size());
    ranks.stream().mapToInt(names::of).sorted().forEach(hasher::putInt);
  }

  private boolean passesThrough(PlanContext context) {
    return context.clustering().clusters().size() == 1
        && call.layout() instanceof Layout.Even even
        && even.count() > 0
        && call.collective()
            .row()
            .whole()
            .filter(whole -> Needs.ofWhole(call, whole).metBy(context.capabilities().get(0)))
            .isPresent();
  }

  private boolean isOneSegment() {
    return longest <= 1;
  }

  private void putCluster(Cluster cluster) {
    hasher.putInt(cluster.size());
    cluster.ranks().forEach(rank -> hasher.putInt(names.of(rank)));
    if (relayed && cluster.size() > 1) {
      Relays relays = relays(cluster);
      hasher.putBoolean(relays.even());
      boolean blocks = !call.collective().signature().isVector();
      for (long length : lengths(cluster, blocks)) {
        long unit = blocks ? cluster.size() : Sharding.unit(grouping.clusters(), length);
        putShares(new Shares(relays, new Interval(0, length), unit));
      }
    }
  }

  private Relays relays(Cluster cluster) {
    Relays relays = grouping.relays(cluster);
    if (algorithm == Algorithm.PIECES) {
      return relays;
    }
    boolean roots = call.collective().isRooted() && cluster.ranks().contains(call.root());
    int leader = roots ? cluster.positionOf(call.root()) : relays.leader();
    return Relays.only(leader, cluster.size());
  }

  /** The lengths of the stretches that the relays of {@code cluster} share out. */
  private long[] lengths(Cluster cluster, boolean blocks) {
    long segment = setting.segmentBytes() / call.type().sizeBytes();
    if (!blocks) {
      long unit = Sharding.unit(grouping.clusters(), segment);
      long most = unit > segment ? segment : segment / unit * unit;
      return new long[] {Math.min(most, setting.count()), setting.count() % most};
    }
    long most = Math.max(1, segment / calls.size());
    return LongStream.iterate(0, start -> start <= longest, start -> start + most)
        .map(start -> foreign(cluster, new BlockWindow(call.layout(), start, most)))
        .distinct()
        .toArray();
  }

  private long foreign(Cluster cluster, BlockWindow window) {
    long foreign = 0;
    for (int rank = 0; rank < calls.size(); rank++) {
      foreign += grouping.clusterOf(rank).index() == cluster.index() ? 0 : window.length(rank);
    }
    return foreign;
  }

  private void putShares(Shares shares) {
    hasher.putLong(shares.body().end());
    for (int position = 0; position < shares.members(); position++) {
      hasher.putLong(shares.owned(position).start()).putLong(shares.owned(position).end());
    }
  }
}
