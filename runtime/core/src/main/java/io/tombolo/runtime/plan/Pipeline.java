// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static io.tombolo.runtime.plan.Tuning.SEGMENTS_IN_FLIGHT;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Runs segments through their phases: while one starts, the one before crosses and the one before
 * that finishes.
 */
final class Pipeline {
  private Pipeline() {}

  static void run(ProgramBuilder program, List<? extends Segment> segments) {
    long stage = segments.stream().mapToLong(Segment::stageElements).max().orElse(0);
    long scratch = segments.stream().mapToLong(Segment::scratchElements).max().orElse(0);
    List<SegmentBuilder> builders = new ArrayList<>();
    for (int tick = 0; tick < segments.size() + 2; tick++) {
      if (tick < segments.size()) {
        int slot = tick % SEGMENTS_IN_FLIGHT;
        Collection<Integer> free =
            tick < SEGMENTS_IN_FLIGHT
                ? List.of()
                : builders.get(tick - SEGMENTS_IN_FLIGHT).released();
        builders.add(new SegmentBuilder(program, slot * stage, slot * scratch, free));
        segments.get(tick).start(builders.get(tick));
      }
      if (tick >= 1 && tick - 1 < segments.size()) {
        segments.get(tick - 1).cross(builders.get(tick - 1));
      }
      if (tick >= 2) {
        segments.get(tick - 2).finish(builders.get(tick - 2));
      }
    }
  }
}
