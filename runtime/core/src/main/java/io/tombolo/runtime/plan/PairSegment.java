// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

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
  /** A run of blocks that is copied at once has at most so many bytes, or is one block. */
  static final long RUN_BYTES = 64 << 10;

  private final CollectiveCall call;
  private final Signature signature;
  private final Grouping grouping;
  private final Buffers buffers;
  private final Cluster mine;
  private final int rank;
  private final BlockWindow sends;
  private final BlockWindow receives;
  private final Map<Integer, Integer> readFor = new HashMap<>();
  private final Map<Integer, Range> sendFrom = new HashMap<>();
  private final Map<Integer, Range> receiveAt = new HashMap<>();
  private final Map<Integer, Integer> receivedBy = new HashMap<>();
  private final List<BlockRuns.Run> arriving = new ArrayList<>();

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
    int size = grouping.size();
    long staged = stageSends(steps);
    placeReceives(steps, staged);
    Collection<Integer> gate = gate(steps);
    for (int round = 1; round < size; round++) {
      send(steps, (rank + round) % size);
      receive(steps, (rank - round + size) % size, gate);
    }
    keepOwn(steps);
    if (mine.size() > 1
        && (isAllToAll() || mine.positionOf(call.root()) >= 0)
        && (!isPairwise() || sends.start() == 0)) {
      exchangeInside(steps);
    }
  }

  /** Copies what no channel can read where it lies; the elements of stage that it takes. */
  private long stageSends(SegmentBuilder steps) {
    int size = grouping.size();
    BlockRuns runs = new BlockRuns(RUN_BYTES / call.type().sizeBytes());
    for (int round = 1; round < size; round++) {
      int peer = (rank + round) % size;
      Range from = sent(peer);
      if (!isForeign(peer) || from.length() == 0) {
        continue;
      }
      sendFrom.put(peer, from);
      if (!call.reach().sendsFrom(from.space(), peer)) {
        runs.add(peer, from);
      }
    }
    long next = 0;
    for (BlockRuns.Run run : runs.runs()) {
      Range staged = steps.stage(next, run.range().length());
      int copied = steps.add(new Action.Copy(run.range(), staged), gate(steps));
      for (int peer : run.peers()) {
        sendFrom.put(peer, within(staged, run, sent(peer)));
        readFor.put(peer, copied);
      }
      next += staged.length();
    }
    return next;
  }

  /**
   * Chooses where messages arrive; on the stage, from {@code next} on, what must be copied then.
   */
  private void placeReceives(SegmentBuilder steps, long next) {
    BlockRuns runs = new BlockRuns(RUN_BYTES / call.type().sizeBytes());
    for (int peer = 0; peer < grouping.size(); peer++) {
      Range to = received(peer);
      if (!isForeign(peer) || to.length() == 0) {
        continue;
      }
      receiveAt.put(peer, to);
      if (call.reach().receivesInto(to.space(), peer) && !overwritesSends()) {
        arriving.add(new BlockRuns.Run(ImmutableList.of(peer), to));
      } else {
        runs.add(peer, to);
      }
    }
    long at = next;
    for (BlockRuns.Run run : runs.runs()) {
      Range staged = steps.stage(at, run.range().length());
      run.peers().forEach(peer -> receiveAt.put(peer, within(staged, run, received(peer))));
      arriving.add(run);
      at += staged.length();
    }
  }

  /** Where on the stage the part of {@code run} is that belongs at {@code block}. */
  private static Range within(Range staged, BlockRuns.Run run, Range block) {
    long offset = block.offset() - run.range().offset();
    return new Range(staged.space(), staged.offset() + offset, block.length());
  }

  private void send(SegmentBuilder steps, int peer) {
    Range from = sendFrom.get(peer);
    if (from == null) {
      return;
    }
    Integer copied = readFor.get(peer);
    long key = key(call.layout().sends(), peer);
    int step =
        steps.add(new Action.Send(peer, from, key), copied == null ? List.of() : List.of(copied));
    readFor.putIfAbsent(peer, step);
  }

  /**
   * What waits for all that had this part of the stage before stands for them, lest each of many
   * receives waits for each of many steps.
   */
  private Collection<Integer> gate(SegmentBuilder steps) {
    return steps.follows() ? readFor.values().stream().limit(1).toList() : List.of();
  }

  private void receive(SegmentBuilder steps, int peer, Collection<Integer> gate) {
    Range at = receiveAt.get(peer);
    if (at != null) {
      long key = key(call.layout().receives(), peer);
      boolean isStaged = at.space() == Space.STAGE;
      int step = steps.add(new Action.Receive(peer, at, key), isStaged ? gate : List.of());
      receivedBy.put(peer, step);
    }
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
    for (BlockRuns.Run run : arriving) {
      Set<Integer> after = new TreeSet<>();
      for (int peer : run.peers()) {
        after.add(receivedBy.get(peer));
        if (call.inPlace() && readFor.containsKey(peer)) {
          after.add(readFor.get(peer)); // what lies there must have been read
        }
      }
      Range arrived = receiveAt.get(run.peers().get(0));
      Range whole = new Range(arrived.space(), arrived.offset(), run.range().length());
      steps.add(
          whole.equals(run.range())
              ? new Action.Flush(run.range())
              : new Action.Copy(whole, run.range()),
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
