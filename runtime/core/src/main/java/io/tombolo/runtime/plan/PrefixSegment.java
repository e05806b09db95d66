// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.List;

/**
 * One segment of a scan: a chain in rank order. Each rank receives what all before it combine to,
 * combines its own to it, and sends that on; so elements are always folded in rank order, from rank
 * 0, whichever rank is of which vendor.
 *
 * <p>What is combined lies on the stage; rank 0 combines nothing and sends from where its input is,
 * if it can. While one segment is combined here, the one before is combined by the next rank.
 */
final class PrefixSegment implements Segment {
  private final CollectiveCall call;
  private final Buffers buffers;
  private final Interval lane;
  private final int rank;
  private final boolean first;
  private final boolean passesOn;
  private final boolean inclusive;

  /** Steps after which the own elements are on the stage, then those with the prefix in them. */
  private List<Integer> ready = List.of();

  /** Steps after which the prefix is on the stage, and the own elements are read. */
  private List<Integer> arrived = List.of();

  /**
   * A segment of one rank's part.
   *
   * @param inclusive whether the own elements are part of the result
   */
  PrefixSegment(Journey journey, Interval lane, boolean inclusive) {
    this.call = journey.call();
    this.buffers = journey.buffers();
    this.lane = lane;
    this.rank = journey.rank();
    this.first = rank == 0;
    this.passesOn = rank < journey.grouping().size() - 1;
    this.inclusive = inclusive;
  }

  @Override
  public long stageElements() {
    return 2 * lane.length();
  }

  @Override
  public long scratchElements() {
    return 0;
  }

  @Override
  public void start(SegmentBuilder steps) {
    if (stagesOwn()) {
      int copied = steps.add(new Action.Copy(input(), own(steps)), List.of());
      ready =
          List.of(
              call.reduction() instanceof Reduction.PreMultiplied scaled
                  ? steps.add(new Action.Scale(own(steps), scaled.factor()), List.of(copied))
                  : copied);
    }
    if (!first) {
      Action receive = new Action.Receive(rank - 1, prefix(steps), lane.start());
      arrived = List.of(steps.add(receive, List.of()));
    } else if (passesOn) {
      send(steps, stagesOwn() ? own(steps) : input());
    }
  }

  @Override
  public void cross(SegmentBuilder steps) {
    if (first || !stagesOwn()) {
      return;
    }
    Action combine = new Action.Combine(prefix(steps), own(steps), own(steps), call.reduction());
    ready = List.of(steps.add(combine, List.of(ready.get(0), arrived.get(0))));
    arrived = ready;
    if (passesOn) {
      send(steps, own(steps));
    }
  }

  @Override
  public void finish(SegmentBuilder steps) {
    if (inclusive) {
      bringHome(steps, first && !isScaled() ? input() : own(steps), ready);
    } else if (!first) {
      bringHome(steps, prefix(steps), arrived);
    }
  }

  private void bringHome(SegmentBuilder steps, Range from, List<Integer> after) {
    Range to = buffers.out(lane.start(), lane.length());
    if (!from.equals(to)) {
      steps.add(new Action.Copy(from, to), from.space() == Space.STAGE ? after : List.of());
    }
  }

  private void send(SegmentBuilder steps, Range from) {
    steps.add(new Action.Send(rank + 1, from, lane.start()), ready);
  }

  /** Whether this rank's own elements go by the stage. */
  private boolean stagesOwn() {
    if (!first) {
      return passesOn || inclusive;
    }
    boolean direct = call.reach().sendsFrom(input().space(), rank + 1);
    return isScaled() ? passesOn || inclusive : passesOn && !direct;
  }

  private boolean isScaled() {
    return call.reduction() instanceof Reduction.PreMultiplied;
  }

  private Range input() {
    return buffers.in(lane.start(), lane.length());
  }

  private Range own(SegmentBuilder steps) {
    return steps.stage(0, lane.length());
  }

  private Range prefix(SegmentBuilder steps) {
    return steps.stage(lane.length(), lane.length());
  }
}
