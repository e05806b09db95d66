// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The stretch of a vector that a rank answers for: where it lies before it crosses, on the stage,
 * and in the end; and how it leaves. Where a NIC reads the device's memory, a message is sent from
 * there; else it goes by the stage, and so does what must be scaled first.
 */
final class Stretch {
  private final CollectiveCall call;
  private final Buffers buffers;
  private final boolean alone;
  private final boolean root;
  private final Interval all;
  private final Interval owned;

  private final List<Integer> ready = new ArrayList<>();
  private final List<Integer> staged = new ArrayList<>();
  private final List<Integer> readers = new ArrayList<>();

  /**
   * A stretch of one segment.
   *
   * @param all the segment
   * @param owned the part of it that this rank answers for
   */
  Stretch(Journey journey, Interval all, Interval owned) {
    this.call = journey.call();
    this.buffers = journey.buffers();
    this.alone = journey.mine().size() == 1;
    this.root = journey.rank() == call.root();
    this.all = all;
    this.owned = owned;
  }

  /** What this rank answers for; nothing, if it relays nothing. */
  Interval owned() {
    return owned;
  }

  /** Scratch that the segment needs inside the cluster, in elements. */
  long scratchElements() {
    return buffers.hasOutput() || alone ? 0 : all.length();
  }

  /** It will be at its {@link #source} after {@code steps}. */
  void isReadyAfter(List<Integer> steps) {
    ready.addAll(steps);
  }

  /** Steps after which it is at its source. */
  List<Integer> ready() {
    return ready;
  }

  /** Brings {@code lanes} to the stage, and multiplies them there if that is due. */
  void bring(SegmentBuilder steps, List<Interval> lanes) {
    for (Interval lane : lanes) {
      int step = steps.add(new Action.Copy(source(steps, lane), stage(steps, lane)), ready);
      staged.add(
          call.reduction() instanceof Reduction.PreMultiplied scaled
              ? steps.add(new Action.Scale(stage(steps, lane), scaled.factor()), List.of(step))
              : step);
    }
  }

  /** Steps after which all is on the stage that is brought there. */
  List<Integer> staged() {
    return staged;
  }

  /** Sends {@code lane} to {@code peer}: from its source, or else from the stage; the step. */
  int send(SegmentBuilder steps, int peer, Interval lane, long key) {
    if (!leavesDirectly(steps, peer)) {
      return steps.add(new Action.Send(peer, stage(steps, lane), key), staged);
    }
    int step = steps.add(new Action.Send(peer, source(steps, lane), key), ready);
    readers.add(step);
    return step;
  }

  /** Whether {@link #send} needs nothing on the stage. */
  boolean leavesDirectly(SegmentBuilder steps, int peer) {
    return !(call.reduction() instanceof Reduction.PreMultiplied)
        && call.reach().sendsFrom(source(steps, owned).space(), peer);
  }

  /** Whether results from {@code peer} are received where they belong. */
  boolean arrivesDirectly(SegmentBuilder steps, int peer) {
    return call.reach().receivesInto(home(steps, owned).space(), peer);
  }

  /**
   * Whether the device combines {@code lane} where it belongs: what comes from {@code peer} can be
   * received for it, and the result be sent from there.
   */
  boolean combinesAtHome(SegmentBuilder steps, Interval lane, int peer) {
    return call.combinesOnDevice(lane.length())
        && call.reach().receivesInto(Space.SCRATCH, peer)
        && call.reach().sendsFrom(home(steps, lane).space(), peer);
  }

  /** Sends after which results may be written home. */
  List<Integer> readers(SegmentBuilder steps) {
    return endsWhereItBegins(steps) ? readers : List.of();
  }

  /** Whether results belong where the source lies. */
  boolean endsWhereItBegins(SegmentBuilder steps) {
    return source(steps, owned).overlaps(home(steps, owned));
  }

  /** Where on the device {@code lane} lies before it crosses. */
  Range source(SegmentBuilder steps, Interval lane) {
    if (!call.collective().isReducing()) {
      return root ? input(lane) : output(lane);
    }
    return alone ? input(lane) : local(steps, lane);
  }

  /** Where on the device the results of {@code lane} belong. */
  Range home(SegmentBuilder steps, Interval lane) {
    return alone ? output(lane) : local(steps, lane);
  }

  /** Where {@code lane} lies on the device while it is worked on inside the cluster. */
  Range local(SegmentBuilder steps, Interval lane) {
    return buffers.hasOutput()
        ? output(lane)
        : steps.scratch(lane.start() - all.start(), lane.length());
  }

  /** Where {@code lane}, of what this rank answers for, lies on the stage. */
  Range stage(SegmentBuilder steps, Interval lane) {
    return steps.stage(lane.start() - owned.start(), lane.length());
  }

  Range input(Interval lane) {
    return buffers.in(lane.start(), lane.length());
  }

  Range output(Interval lane) {
    return buffers.out(lane.start(), lane.length());
  }
}
