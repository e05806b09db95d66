// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.runtime.plan.Algorithm;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Relays;
import java.util.List;
import java.util.stream.IntStream;

/** How a job plans, where a test says what it has to come to. */
final class ExpectedPlans {
  private final Communicator communicator;
  private final ImmutableSortedMap<String, String> settings;

  ExpectedPlans(Communicator communicator, ImmutableSortedMap<String, String> settings) {
    this.communicator = communicator;
    this.settings = settings;
  }

  /** One call of the host library has long vectors' sums, whatever the vendors; or none has. */
  void requireFlat(boolean flat) {
    long longest = PlannedSums.LONGEST;
    CollectiveCall sum = CollectiveCall.allReduce(longest, DataType.F32, ReduceOp.SUM, false);
    if (new Planner(communicator.context()).isFlat(sum) != flat) {
      throw new IllegalStateException(
          "a sum of %d is %sflat".formatted(longest, flat ? "not " : ""));
    }
  }

  /** What {@code tombolo plan} plans for these vendors is what this job will do. */
  void requireAsImagined() {
    PlanContext context = communicator.context();
    ClusterSpec spec =
        new ClusterSpec(
            IntStream.range(0, communicator.size())
                .mapToObj(rank -> context.clustering().site(rank).vendor())
                .collect(ImmutableList.toImmutableList()));
    PlanContext imagined =
        JobContext.of(ImaginedRanks.onThisHost(spec), settings, context.calibration());
    if (!imagined.facts().equals(context.facts())) {
      throw new IllegalStateException("imagined " + imagined.facts() + ", is " + context.facts());
    }
  }

  /** A short all_reduce goes by doubling here. */
  void requireDoubling() {
    CollectiveCall call = CollectiveCall.allReduce(7, DataType.F32, ReduceOp.SUM, false);
    Algorithm algorithm = new Planner(communicator.context()).algorithm(call);
    if (algorithm != Algorithm.DOUBLING) {
      throw new IllegalStateException(call + " goes by " + algorithm.text());
    }
  }

  /** Some cluster's relays take parts of different lengths. */
  void requireUnevenRelays() {
    List<Relays> relays = communicator.context().relays();
    if (relays.stream().allMatch(ExpectedPlans::isEven)) {
      throw new IllegalStateException("even relays: " + relays);
    }
  }

  /** As relays are written, equal neighbours are one. */
  private static boolean isEven(Relays relays) {
    return !relays.toString().contains(":");
  }
}
