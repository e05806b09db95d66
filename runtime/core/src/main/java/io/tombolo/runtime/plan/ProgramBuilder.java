package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;

/** Collects steps and counts their bytes. */
final class ProgramBuilder {
  private final CollectiveCall call;
  private final int rank;
  private final List<Step> steps = new ArrayList<>();
  private long stageElements;
  private long intraElements;
  private long crossElements;

  ProgramBuilder(CollectiveCall call, int rank) {
    this.call = call;
    this.rank = rank;
  }

  /** Adds a step that waits for {@code after}; returns its id. */
  int add(Action action, List<Integer> after) {
    int id = steps.size();
    steps.add(
        new Step(
            id, action, ImmutableIntArray.copyOf(after.stream().sorted().distinct().toList())));
    action.reads().forEach(this::reserve);
    action.writes().forEach(this::reserve);
    if (action instanceof Action.IntraCall intra) {
      intraElements += intra.input().length();
    } else if (action instanceof Action.Send send) {
      crossElements += send.from().length();
    }
    return id;
  }

  Plan build() {
    long size = call.type().sizeBytes();
    return new Plan(
        call,
        rank,
        ImmutableList.copyOf(steps),
        stageElements,
        intraElements * size,
        crossElements * size);
  }

  private void reserve(Range range) {
    if (range.space() == Space.STAGE) {
      stageElements = Math.max(stageElements, range.end());
    }
  }
}
