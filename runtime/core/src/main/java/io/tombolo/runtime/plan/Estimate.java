// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.math.LongMath;
import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.machine.LinkCost;

/**
 * What one cluster's part of a call is estimated to take: α + β·bytes over the phases one after the
 * other.
 *
 * @param context what is known of the job
 * @param call what is computed
 * @param algorithm how
 * @param cluster whose part it is
 * @param prices what its resources cost
 * @param oneHost whether all ranks are on one host
 */
record Estimate(
    PlanContext context,
    CollectiveCall call,
    Algorithm algorithm,
    Cluster cluster,
    Prices prices,
    boolean oneHost) {

  /** Where clusters exchange what they combined. */
  long exchangedPs() {
    long vector = call.blockBytes();
    long across =
        switch (algorithm) {
          case PIECES -> piecesPs(vector);
          case DIRECT -> wholePs(vector, others(), others());
          case DOUBLING -> doublingPs(vector, new Doubling(clusters()));
        };
    return sum(across, insidePs(vector), insidePs(vector), 0);
  }

  private long piecesPs(long vector) {
    long folded = busiest(Prices.part(vector, others(), clusters()));
    long messages = LongMath.saturatedMultiply(2 * others(), lanes());
    return sum(crossPs(2, messages, 2 * folded), foldPs(folded), 0, 0);
  }

  private long doublingPs(long vector, Doubling doubling) {
    return wholePs(vector, doubling.hops(), doubling.folds());
  }

  /** Whole vectors, one after the other: so many messages, and so many to fold. */
  private long wholePs(long vector, long messages, long folds) {
    long moved = LongMath.saturatedMultiply(vector, messages);
    return sum(
        crossPs(1, messages, moved), foldPs(LongMath.saturatedMultiply(vector, folds)), 0, 0);
  }

  /** Where one cluster has all to send, or to receive. */
  long rootedPs() {
    long vector = call.blockBytes();
    long streams =
        context.clustering().clusterOf(call.root()).index() == cluster.index() ? others() : 1;
    long moved = LongMath.saturatedMultiply(busiest(vector), streams);
    long folded = call.collective().isReducing() ? foldPs(moved) : 0;
    long calls = algorithm == Algorithm.DIRECT || streams == 1 ? 1 : 2;
    return sum(crossPs(1, streams * lanes(), moved), folded, calls * insidePs(vector), 0);
  }

  /** Where each rank's block goes once to, or comes from, each other cluster. */
  long blocksPs() {
    int size = context.clustering().size();
    long foreign = size - (long) cluster.size();
    long bytes = Prices.part(allBlocks(size), foreign, size);
    long moved = busiest(bytes);
    long messages = Math.max(1, busiest(foreign));
    long folded = call.collective().isReducing() ? foldPs(moved) : 0;
    return sum(crossPs(1, messages, moved), folded, insidePs(bytes), 0);
  }

  private long allBlocks(int size) {
    long elements =
        call.layout() instanceof Layout.Even even
            ? LongMath.saturatedMultiply(even.count(), (long) size)
            : call.layout().agreedCount();
    return LongMath.saturatedMultiply(elements, (long) call.type().sizeBytes());
  }

  /** What the relay with the largest part carries of {@code amount}. */
  private long busiest(long amount) {
    Relays relays = relays(cluster);
    return algorithm == Algorithm.DIRECT || isAllTail()
        ? amount
        : Prices.part(amount, relays.weight(relays.leader()), relays.totalWeight());
  }

  /** Vectors too short for equal shards go through one relay of each cluster. */
  private boolean isAllTail() {
    long elements = call.layout().count(0);
    return call.collective().signature().isVector()
        && relays(cluster).even()
        && Sharding.unit(context.clustering().clusters(), elements) > elements;
  }

  /** Relays of another cluster that the busiest one of this cluster exchanges with. */
  private long lanes() {
    return context.clustering().clusters().stream()
        .filter(other -> other.index() != cluster.index())
        .mapToLong(other -> Math.max(1, busiest(relays(other).members())))
        .max()
        .orElse(1);
  }

  /** Messages start one after the other; data is copied to the stage before and back after. */
  private long crossPs(int rounds, long messages, long sizeBytes) {
    LinkCost message = prices.message(oneHost);
    long waiting = LongMath.saturatedMultiply(message.latencyPs(), rounds - 1 + messages);
    long copies = 2 * prices.copy().latencyPs();
    return sum(waiting, Prices.transferPs(message, sizeBytes), copies, 0);
  }

  private long insidePs(long sizeBytes) {
    return cluster.size() == 1 || sizeBytes == 0
        ? 0
        : prices.vendorPs(insideCall(), cluster.size(), sizeBytes);
  }

  private Primitive insideCall() {
    return algorithm == Algorithm.PIECES ? Primitive.ALL_GATHER : Primitive.BROADCAST;
  }

  private long foldPs(long sizeBytes) {
    return prices.host().timePs(sizeBytes);
  }

  private Relays relays(Cluster each) {
    return context.relays().get(each.index());
  }

  private int clusters() {
    return context.clustering().clusters().size();
  }

  private long others() {
    return clusters() - 1L;
  }

  private static long sum(long one, long two, long three, long four) {
    return LongMath.saturatedAdd(
        LongMath.saturatedAdd(one, two), LongMath.saturatedAdd(three, four));
  }
}
