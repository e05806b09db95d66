// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Mover;
import io.tombolo.runtime.plan.Movers;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Holds what an imagined job's plans say of copies against what this job counts. */
final class PlannedCopies {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** So many that an all_reduce goes by pieces, and that their last segment is not full. */
  private static final int COUNT = 500_005;

  private final Communicator all;
  private final MovingOutlook outlook;

  /** Devices reach the slots of {@code shm}, and combine: processors have nothing to copy. */
  private final boolean isOfDevicesAlone;

  PlannedCopies(Communicator all, Map<String, String> settings) {
    this.all = all;
    this.outlook = new MovingOutlook(all.context(), settings);
    this.isOfDevicesAlone =
        "shm".equals(settings.get("fabrics")) && "device".equals(settings.get("reduce"));
  }

  void run() {
    for (CollectiveCall call : calls()) {
      Plan plan =
          new Planner(all.context()).plan(call.reaching(outlook.reach(all.rank())), all.rank());
      make(call); // opens channels, whose slots the next call pins
      make(call);
      Traffic before = all.traffic();
      make(call);
      ImmutableMap<String, Long> counted = since(before);
      ImmutableMap<String, Long> planned = planned(plan);
      if (!counted.equals(planned) || (copiesNothing(call) && planned.get("copied") != 0)) {
        throw new IllegalStateException(
            "%s: counted %s, planned %s:%n%s".formatted(call, counted, planned, plan));
      }
    }
  }

  /** A small one goes through the stages of the host. */
  private boolean copiesNothing(CollectiveCall call) {
    return isOfDevicesAlone && call.equals(calls().get(0));
  }

  private static List<CollectiveCall> calls() {
    return List.of(
        vector(Collective.ALL_REDUCE, Reduction.sum(), COUNT),
        vector(Collective.ALL_REDUCE, Reduction.sum(), 1003),
        vector(Collective.ALL_REDUCE, Reduction.avg(), COUNT),
        vector(Collective.REDUCE, Reduction.max(), COUNT),
        vector(Collective.BROADCAST, new Reduction.None(), COUNT));
  }

  private static CollectiveCall vector(Collective collective, Reduction reduction, int count) {
    return new CollectiveCall(
        collective, DataType.F32, reduction, 0, new Layout.Even(count), false);
  }

  private void make(CollectiveCall call) {
    int bytes = (int) call.sizeBytes(0, all.size());
    try (Stream stream = all.device().newStream();
        DeviceArray input = new DeviceArray(all.device(), stream, bytes);
        DeviceArray output = new DeviceArray(all.device(), stream, bytes)) {
      input.upload();
      all.call(
              new PlacedCall(call, input.address(), output.address()), CallOptions.STANDARD, stream)
          .await(LIMIT);
      output.download();
    }
  }

  private ImmutableMap<String, Long> since(Traffic before) {
    Traffic after = all.traffic();
    return ImmutableMap.of(
        "copied", after.copiedBytes() - before.copiedBytes(),
        "engine", after.engineBytes() - before.engineBytes(),
        "staged", after.stagedBytes() - before.stagedBytes());
  }

  private ImmutableMap<String, Long> planned(Plan plan) {
    Movers movers = outlook.movers(all.rank());
    return ImmutableMap.of(
        "copied", movers.slotBytes(plan, Mover.PROCESSOR),
        "engine", movers.slotBytes(plan, Mover.ENGINE),
        "staged", movers.stagedBytes(plan));
  }
}
