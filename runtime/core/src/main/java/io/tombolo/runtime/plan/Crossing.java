package io.tombolo.runtime.plan;

import java.util.List;

/** One relay's part in bringing its stretch of a vector across, over stage and channels. */
interface Crossing {
  /** Stage it needs behind the stretch itself, in elements. */
  long stageElements();

  /** Sends off what goes at once; the stretch is in the stage after {@code staged}. */
  void start(SegmentBuilder steps, List<Integer> staged);

  /** Works on what came and passes it on; returns the steps after which the result is there. */
  List<Integer> cross(SegmentBuilder steps, List<Integer> staged);

  /** Where the result is, in the stage. */
  Range result(SegmentBuilder steps);
}
