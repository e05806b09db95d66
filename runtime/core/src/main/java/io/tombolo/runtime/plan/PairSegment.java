// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One segment of an operation that is nothing but blocks from rank to rank: gather, scatter,
 * all-to-all, and the messages of one rank. Blocks between members of a cluster go through its
 * library; the others straight to where they belong.
 *
 * <p>Where each rank alone knows its counts, members cannot know how many segments the others make
 * of them, but must make equally many calls of their library: it is called once, in the first
 * segment, for whole blocks.
 */
final class PairSegment implements Segment {
  private final CollectiveCall call;
  private final Signature signature;
  private final Grouping grouping;
  private final Buffers buffers;
  private final Cluster mine;
  private final int rank;
  private final BlockWindow sends;
  private final BlockWindow receives;
  private final Map<Integer, Integer> readFor = new HashMap<>();
  private final List<Arrival> arrivals = new ArrayList<>();

  private record Arrival(int peer, Range arrived, Range to, int step) {
    boolean isDirect() {
      return arrived.equals(to);
    }
  }

  PairSegment(Journey journey, long start, long most) {
    this.call = journey.call();
    this.signature = call.collective().signature();
    this.grouping = journey.grouping();
    this.buffers = journey.buffers();
    this.mine = journey.mine();
    this.rank = journey.rank();
    this.sends = new BlockWindow(call.layout().sends(), start, most);
    this.receives = new BlockWindow(call.layout().receives(), start, most);
  }

  @Override
  public long stageElements() {
    long elements = 0;
    for (int peer = 0; peer < grouping.size(); peer++) {
      if (isForeign(peer)) {
        elements += sent(peer).length() + received(peer).length();
      }
    }
    return elements;
  }

  @Override
  public long scratchElements() {
    return exchangesInPlace()
        ? mine.ranks().stream().mapToLong(peer -> sent(peer).length()).sum()
        : 0;
  }

  /** In each round everybody sends to one rank and receives from one, never all to the same. */
  @Override
  public void start(SegmentBuilder steps) {
    long next = 0;
    int size = grouping.size();
    for (int round = 1; round < size; round++) {
      next += send(steps, (rank + round) % size, next);
      next += receive(steps, (rank - round + size) % size, next);
    }
    keepOwn(steps);
    if (mine.size() > 1
        && (isAllToAll() || mine.positionOf(call.root()) >= 0)
        && (!isPairwise() || sends.start() == 0)) {
      exchangeInside(steps);
    }
  }

  private long send(SegmentBuilder steps, int peer, long at) {
    Range from = sent(peer);
    if (!isForeign(peer) || from.length() == 0) {
      return 0;
    }
    long key = key(call.layout().sends(), peer);
    if (call.reach().sendsFrom(from.space(), peer)) {
      readFor.put(peer, steps.add(new Action.Send(peer, from, key), List.of()));
      return 0;
    }
    Range staged = steps.stage(at, from.length());
    int copied = steps.add(new Action.Copy(from, staged), List.of());
    steps.add(new Action.Send(peer, staged, key), List.of(copied));
    readFor.put(peer, copied);
    return from.length();
  }

  private long receive(SegmentBuilder steps, int peer, long next) {
    Range to = received(peer);
    if (!isForeign(peer) || to.length() == 0) {
      return 0;
    }
    boolean direct = call.reach().receivesInto(to.space(), peer) && !overwritesSends();
    Range at = direct ? to : steps.stage(next, to.length());
    long key = key(call.layout().receives(), peer);
    arrivals.add(
        new Arrival(peer, at, to, steps.add(new Action.Receive(peer, at, key), List.of())));
    return direct ? 0 : to.length();
  }

  /** Two ranks whose receives waited for their sends to be read would wait for each other. */
  private boolean overwritesSends() {
    return call.inPlace() && isAllToAll();
  }

  private void keepOwn(SegmentBuilder steps) {
    Range from = sent(rank);
    Range to = received(rank);
    if (from.length() > 0 && !from.equals(to)) {
      steps.add(new Action.Copy(from, to), List.of());
    }
  }

  private void exchangeInside(SegmentBuilder steps) {
    List<Action.Transfer> out = new ArrayList<>();
    List<Action.Transfer> in = new ArrayList<>();
    List<Integer> packed = new ArrayList<>();
    long next = 0;
    for (int position = 0; position < mine.size(); position++) {
      int peer = mine.rank(position);
      Range from = sent(peer);
      if (peer != rank && from.length() > 0) {
        if (exchangesInPlace()) {
          Range copy = steps.scratch(next, from.length());
          packed.add(steps.add(new Action.Copy(from, copy), List.of()));
          next += from.length();
          from = copy;
        }
        out.add(new Action.Transfer(position, from));
      }
      if (peer != rank && received(peer).length() > 0) {
        in.add(new Action.Transfer(position, received(peer)));
      }
    }
    steps.add(Action.Exchange.of(out, in), packed);
  }

  @Override
  public void cross(SegmentBuilder steps) {}

  @Override
  public void finish(SegmentBuilder steps) {
    for (Arrival arrival : arrivals) {
      List<Integer> after = new ArrayList<>(List.of(arrival.step()));
      if (call.inPlace() && readFor.containsKey(arrival.peer())) {
        after.add(readFor.get(arrival.peer())); // what lies there must have been read
      }
      steps.add(
          arrival.isDirect()
              ? new Action.Flush(arrival.to())
              : new Action.Copy(arrival.arrived(), arrival.to()),
          after);
    }
  }

  /** What goes to {@code peer} in this segment. */
  private Range sent(int peer) {
    if (!isTransfer(rank, peer)) {
      return buffers.in(0, 0);
    }
    if (!signature.input().spreads()) {
      return buffers.in(sends.before(rank), sends.length(rank));
    }
    BlockWindow window = windowFor(peer, sends);
    return buffers.in(window.at(peer), window.length(peer));
  }

  /** What comes from {@code peer} in this segment. */
  private Range received(int peer) {
    if (!isTransfer(peer, rank)) {
      return buffers.out(0, 0);
    }
    if (!signature.output().spreads()) {
      return buffers.out(receives.before(rank), receives.length(rank));
    }
    BlockWindow window = windowFor(peer, receives);
    return buffers.out(window.at(peer), window.length(peer));
  }

  /** Whether a block goes from {@code from} to {@code to}. */
  private boolean isTransfer(int from, int to) {
    return signature.input().isAt(from, call.root()) && signature.output().isAt(to, call.root());
  }

  private BlockWindow windowFor(int peer, BlockWindow window) {
    if (!isPairwise() || peer == rank || isForeign(peer)) {
      return window;
    }
    return new BlockWindow(window.layout(), 0, window.start() == 0 ? Long.MAX_VALUE : 0);
  }

  private boolean isPairwise() {
    return call.layout() instanceof Layout.Pairwise;
  }

  /**
   * Collectives are voted on, so that a segment is known by its place. Nobody votes on the messages
   * of one rank: there the sides tell each other the bytes of the whole block.
   */
  private long key(Layout blocks, int peer) {
    return call.collective().isPointToPoint()
        ? blocks.count(peer) * call.type().sizeBytes()
        : sends.start();
  }

  private boolean isAllToAll() {
    return signature.isPairwise() && !call.collective().isPointToPoint();
  }

  /** An all-to-all in place overwrites blocks that are still to be sent. */
  private boolean exchangesInPlace() {
    return call.inPlace() && mine.size() > 1 && isAllToAll();
  }

  private boolean isForeign(int peer) {
    return grouping.clusterOf(peer).index() != mine.index();
  }
}
