// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * One segment of an all-gather.
 *
 * <p>Each block enters each other cluster once: its rank sends it, cut where that cluster's relays
 * share out what is foreign to them, straight to those relays, who then gather inside. The blocks
 * of the cluster itself never leave its library.
 */
final class AllGatherSegment implements Segment {
  private final CollectiveCall call;
  private final Grouping grouping;
  private final Buffers buffers;
  private final Inside inside;
  private final Cluster mine;
  private final int rank;
  private final BlockWindow window;
  private final Packed foreign;
  private final Shares shares;
  private final Interval owned;
  private final boolean foreignInPlace;

  private record Arrival(Range arrived, Range to, int step) {
    boolean isDirect() {
      return arrived.equals(to);
    }
  }

  private final List<Arrival> arrivals = new ArrayList<>();

  AllGatherSegment(Journey journey, BlockWindow window) {
    this.call = journey.call();
    this.grouping = journey.grouping();
    this.buffers = journey.buffers();
    this.inside = journey.inside();
    this.mine = journey.mine();
    this.rank = journey.rank();
    this.window = window;
    this.foreign = foreignTo(mine);
    this.shares = shares(mine, foreign);
    this.owned = shares.owned(inside.position());
    this.foreignInPlace = mine.size() == 1 || foreign.isContiguous();
  }

  private Packed foreignTo(Cluster cluster) {
    return new Packed(
        window, grouping.size(), each -> grouping.clusterOf(each).index() != cluster.index());
  }

  private Shares shares(Cluster cluster, Packed foreigners) {
    return new Shares(grouping.relays(cluster), foreigners.all(), cluster.size());
  }

  private Packed own() {
    return new Packed(
        window, grouping.size(), each -> grouping.clusterOf(each).index() == mine.index());
  }

  @Override
  public long stageElements() {
    return window.length(rank) + owned.length();
  }

  @Override
  public long scratchElements() {
    return (foreignInPlace ? 0 : foreign.all().length()) + own().all().length();
  }

  @Override
  public void start(SegmentBuilder steps) {
    List<Integer> read = sendOwn(steps);
    long base = window.length(rank);
    for (Packed.Part part : foreign.parts(owned)) {
      Range to = foreignInPlace ? buffered(part) : place(steps, part.lane());
      Range at =
          call.reach().receivesInto(to.space(), part.rank())
              ? to
              : steps.stage(base + part.lane().start() - owned.start(), part.lane().length());
      int step = steps.add(new Action.Receive(part.rank(), at, window.start()), List.of());
      arrivals.add(new Arrival(at, to, step));
    }
    gatherOwn(steps, call.inPlace() ? read : List.of());
  }

  /** The steps after which the input has been read. */
  private List<Integer> sendOwn(SegmentBuilder steps) {
    List<Integer> read = new ArrayList<>();
    List<Integer> staged = new ArrayList<>();
    for (Cluster other : grouping.clusters()) {
      if (other.index() != mine.index()) {
        Packed theirs = foreignTo(other);
        Interval block = theirs.place(rank);
        for (Shares.Part part : shares(other, theirs).partsOf(block)) {
          int relay = other.rank(part.position());
          long at = part.lane().start() - block.start();
          Range from = buffers.in(window.before(rank) + at, part.lane().length());
          if (call.reach().sendsFrom(from.space(), relay)) {
            read.add(steps.add(new Action.Send(relay, from, window.start()), List.of()));
          } else {
            if (staged.isEmpty()) {
              Range all = steps.stage(0, window.length(rank));
              staged.add(steps.add(new Action.Copy(input(), all), List.of()));
            }
            Range copied = steps.stage(at, part.lane().length());
            steps.add(new Action.Send(relay, copied, window.start()), staged);
          }
        }
      }
    }
    read.addAll(staged);
    return read;
  }

  /** In place, the library writes what those read that send it to other clusters. */
  private void gatherOwn(SegmentBuilder steps, List<Integer> after) {
    Packed own = own();
    if (own.all().isEmpty()) {
      return;
    }
    if (mine.size() == 1) {
      if (!call.inPlace()) {
        steps.add(new Action.Copy(input(), output(rank)), List.of());
      }
    } else if (!own.isEven(mine.size())) {
      for (Packed.Part part : own.parts(own.all())) {
        int root = mine.positionOf(part.rank());
        Range to = output(part.rank());
        inside.broadcastFrom(steps, root, part.rank() == rank ? input() : to, to, after);
      }
    } else if (own.isContiguous()) {
      Range all = buffers.out(own.at(), own.all().length());
      inside.call(steps, Primitive.ALL_GATHER, input(), all, 0, after);
    } else {
      long base = foreignInPlace ? 0 : foreign.all().length();
      Range all = steps.scratch(base, own.all().length());
      int gathered = inside.call(steps, Primitive.ALL_GATHER, input(), all, 0, after);
      unpack(steps, own, base, List.of(gathered));
    }
  }

  @Override
  public void cross(SegmentBuilder steps) {}

  @Override
  public void finish(SegmentBuilder steps) {
    if (foreign.all().isEmpty()) {
      return;
    }
    List<Integer> back = new ArrayList<>();
    for (Arrival arrival : arrivals) {
      Action bring =
          arrival.isDirect()
              ? new Action.Flush(arrival.to())
              : new Action.Copy(arrival.arrived(), arrival.to());
      back.add(steps.add(bring, List.of(arrival.step())));
    }
    if (mine.size() > 1) {
      List<Integer> gathered = inside.gather(steps, shares, lane -> place(steps, lane), back);
      if (!foreignInPlace) {
        unpack(steps, foreign, 0, gathered);
      }
    }
  }

  private void unpack(SegmentBuilder steps, Packed packed, long base, Collection<Integer> after) {
    for (Packed.Part part : packed.parts(packed.all())) {
      if (part.rank() != rank || !call.inPlace()) {
        Range from = steps.scratch(base + part.lane().start(), part.lane().length());
        steps.add(new Action.Copy(from, buffered(part)), after);
      }
    }
  }

  private Range place(SegmentBuilder steps, Interval lane) {
    return foreignInPlace
        ? buffers.out(foreign.at() + lane.start(), lane.length())
        : steps.scratch(lane.start(), lane.length());
  }

  private Range buffered(Packed.Part part) {
    return buffers.out(part.at(), part.lane().length());
  }

  private Range input() {
    return buffers.in(window.before(rank), window.length(rank));
  }

  private Range output(int owner) {
    return buffers.out(window.at(owner), window.length(owner));
  }
}
