// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.List;

/** One relay's part in bringing its {@link Stretch} of a vector across, over channels. */
interface Crossing {
  /** Stage it needs behind the stretch itself, in elements. */
  long stageElements();

  /** Scratch it needs behind the stretch's, in elements. */
  long scratchElements();

  /** What of the stretch it needs on the stage before it starts. */
  List<Interval> staged(SegmentBuilder steps);

  /** Sends off what goes at once. */
  void start(SegmentBuilder steps);

  /** Works on what came and passes it on; tells how that ends. */
  Outcome cross(SegmentBuilder steps);

  /** Where the result of {@code lane} is on the stage, unless it has landed. */
  Range result(SegmentBuilder steps, Interval lane);

  /**
   * How a crossing ends.
   *
   * @param finished steps after which all results are on the stage that come there
   * @param landings those that come straight to where they belong
   * @param settled what is where it belongs, as the device combined it there
   */
  record Outcome(List<Integer> finished, List<Landing> landings, List<Settled> settled) {
    Outcome() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  /** A result that may be worked with after {@code steps}. */
  record Settled(Interval lane, List<Integer> steps) {}

  /** A result that the step {@code step} receives into the device's memory, not flushed yet. */
  record Landing(Interval lane, int step) {}
}
