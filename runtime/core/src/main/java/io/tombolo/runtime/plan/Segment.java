// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * One segment's way through a collective, as one rank sees it, in three phases. All ranks emit the
 * phases of all segments in one order, so members of a cluster make the same vendor calls in the
 * same order, and both ends of a channel agree on the order of messages.
 */
interface Segment {
  /** Stage this segment needs, in elements. */
  long stageElements();

  /** Scratch this segment needs, in elements. */
  long scratchElements();

  /** Phase 1: bring together inside the cluster what leaves it, and send it off. */
  void start(SegmentBuilder steps);

  /** Phase 2: work on what came, and pass results on. */
  void cross(SegmentBuilder steps);

  /** Phase 3: bring results to where they belong. */
  void finish(SegmentBuilder steps);
}
