// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.World.At;
import io.tombolo.topology.Clustering;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a step may touch at all, whatever other steps do: memory that its engine can reach, inside
 * its bounds, and the same elements twice only where the engine works in place.
 *
 * <p>The host's arithmetic touches the stage alone, which is host memory; the device's also its
 * own. Messages touch the stage, but for those between ranks and memories of the call's {@link
 * Reach}.
 */
final class StepRules {
  private final Map<Space, Long> bounds = new EnumMap<>(Space.class);
  private final int position;
  private final Reach reach;

  /** The rules for the steps of {@code plan}. */
  StepRules(Clustering clustering, Plan plan) {
    this.position = clustering.clusterOf(plan.rank()).positionOf(plan.rank());
    this.reach = plan.call().reach();
    Buffers buffers = new Buffers(plan.call(), plan.rank(), clustering.size());
    bounds.put(Space.INPUT, buffers.elements(Space.INPUT));
    bounds.put(Space.OUTPUT, buffers.elements(Space.OUTPUT));
    bounds.put(Space.STAGE, plan.stageElements());
    bounds.put(Space.SCRATCH, plan.scratchElements());
  }

  /** Throws a {@link PlanDefect} if {@code at} breaks a rule. */
  void check(At at) {
    Action action = at.step().action();
    ImmutableList<Range> reads = action.reads();
    ImmutableList<Range> writes = action.writes();
    reads.forEach(range -> checkRange(at, range));
    writes.forEach(range -> checkRange(at, range));
    require(World.isLibraryCall(at) || isElementwise(reads, writes), at, "is about two lengths");
    for (int i = 0; i < writes.size(); i++) {
      for (int j = 0; j < i; j++) {
        require(!writes.get(i).overlaps(writes.get(j)), at, "writes the same elements twice");
      }
      for (Range read : reads) {
        require(
            !writes.get(i).overlaps(read) || worksInPlace(at, read, writes.get(i)),
            at,
            "writes what it reads");
      }
    }
  }

  private void checkRange(At at, Range range) {
    if (range.length() == 0) {
      return;
    }
    require(range.end() <= bounds.get(range.space()), at, "goes beyond its memory");
    require(mayTouch(at, range), at, "touches memory that it cannot reach");
  }

  private boolean mayTouch(At at, Range range) {
    boolean staged = range.space() == Space.STAGE;
    Resource resource = at.resource();
    return switch (resource.kind()) {
      case SEND -> reach.sendsFrom(range.space(), resource.peer());
      case RECEIVE -> reach.receivesInto(range.space(), resource.peer());
      case HOST -> staged || isForDevice(at.plan().call(), at.step().action());
      case VENDOR, FLAT -> !staged;
      case COPY -> true;
    };
  }

  private static boolean isForDevice(CollectiveCall call, Action action) {
    return action instanceof Action.Combine combine
        && call.combinesOnDevice(combine.into().length());
  }

  private static boolean isElementwise(List<Range> reads, List<Range> writes) {
    long length = (reads.isEmpty() ? writes : reads).get(0).length();
    return areOf(reads, length) && areOf(writes, length);
  }

  private static boolean areOf(List<Range> ranges, long length) {
    for (Range range : ranges) {
      if (range.length() != length) {
        return false;
      }
    }
    return true;
  }

  private boolean worksInPlace(At at, Range read, Range write) {
    return at.step().action() instanceof Action.IntraCall call
        ? VendorRules.worksInPlace(call, position(call, at))
        : read.equals(write)
            && (at.resource().kind() == Resource.Kind.HOST
                || at.step().action() instanceof Action.Flush);
  }

  private int position(Action.IntraCall call, At at) {
    return call.members() == Action.Members.EVERYONE ? at.plan().rank() : position;
  }

  private static void require(boolean condition, At at, String complaint) {
    if (!condition) {
      throw new PlanDefect(at + " " + complaint + ": " + at.step().action());
    }
  }
}
