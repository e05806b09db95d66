// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Adds the steps of one segment, in a part of stage and scratch that earlier segments have used: a
 * step that touches it first waits for them.
 */
final class SegmentBuilder {
  private final ProgramBuilder program;
  private final long stageBase;
  private final long scratchBase;
  private final Collection<Integer> free;
  private final BitSet covered = new BitSet();
  private final Set<Integer> last = new LinkedHashSet<>();

  /**
   * A builder of one segment.
   *
   * @param stageBase where its part of the stage begins
   * @param scratchBase where its part of the scratch begins
   * @param free steps after which both may be used
   */
  SegmentBuilder(
      ProgramBuilder program, long stageBase, long scratchBase, Collection<Integer> free) {
    this.program = program;
    this.stageBase = stageBase;
    this.scratchBase = scratchBase;
    this.free = free;
  }

  /** Whether other segments have used its part of stage and scratch before. */
  boolean follows() {
    return !free.isEmpty();
  }

  /** Adds a step that waits for {@code after}; returns its id. */
  int add(Action action, Collection<Integer> after) {
    boolean touches = touchesOurs(action.reads()) || touchesOurs(action.writes());
    boolean behind = after.stream().anyMatch(covered::get);
    Collection<Integer> earlier = after;
    if (touches && !behind) {
      earlier = new ArrayList<>(after);
      earlier.addAll(free);
    }
    int id = program.add(action, earlier);
    if (touches) {
      after.forEach(last::remove);
      last.add(id);
    }
    if (touches || behind) {
      covered.set(id);
    }
    return id;
  }

  /** {@code length} elements of this segment's part of the stage. */
  Range stage(long offset, long length) {
    return new Range(Space.STAGE, stageBase + offset, length);
  }

  /** {@code length} elements of this segment's part of the scratch. */
  Range scratch(long offset, long length) {
    return new Range(Space.SCRATCH, scratchBase + offset, length);
  }

  /** Steps after which this segment's part of stage and scratch is free again. */
  Set<Integer> released() {
    return last;
  }

  private static boolean touchesOurs(List<Range> ranges) {
    for (Range range : ranges) {
      if (range.space() == Space.STAGE || range.space() == Space.SCRATCH) {
        return true;
      }
    }
    return false;
  }
}
