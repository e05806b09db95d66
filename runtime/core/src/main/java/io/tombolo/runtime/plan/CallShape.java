package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What a call means: which elements lie in each rank's input, and which each rank's output must
 * hold in the end. Elements are numbered through the whole job; those that combine share a number.
 */
final class CallShape {
  private final List<CollectiveCall> calls;
  private final CollectiveCall call;
  private final int size;
  private final long[][] blocks;

  /**
   * Consecutive elements of a buffer.
   *
   * @param offset first element's place in the buffer
   * @param length number of elements
   * @param id the first element's number
   * @param contributors ranks whose elements it is made of
   */
  record Stretch(long offset, long length, long id, BitSet contributors) {}

  /** The shape of one call, as each rank makes it. */
  CallShape(List<CollectiveCall> calls) {
    this.calls = calls;
    this.call = calls.get(0);
    this.size = calls.size();
    this.blocks = new long[size][];
    boolean pairs = isPairwise();
    long next = 0;
    for (int from = 0; from < (pairs ? size : 1); from++) {
      blocks[from] = new long[size];
      for (int to = 0; to < size; to++) {
        blocks[from][to] = next;
        next += calls.get(from).layout().sends().count(to);
      }
    }
  }

  /** What {@code rank}'s input holds. */
  List<Stretch> inputs(int rank) {
    Layout layout = calls.get(rank).layout();
    return switch (call.collective().even()) {
      case ALL_REDUCE, REDUCE -> vector(only(rank));
      case BROADCAST -> rank == call.root() ? vector(only(rank)) : List.of();
      case ALL_GATHER, GATHER -> block(rank, only(rank));
      case REDUCE_SCATTER -> all(layout, blocks[0], rank);
      case SCATTER -> rank == call.root() ? all(layout, blocks[0], rank) : List.of();
      case BARRIER -> List.of();
      default -> all(layout.sends(), blocks[rank], rank);
    };
  }

  /** What {@code rank}'s output must hold in the end. */
  List<Stretch> outputs(int rank) {
    return switch (call.collective().even()) {
      case ALL_REDUCE -> vector(everyone());
      case REDUCE -> rank == call.root() ? vector(everyone()) : List.of();
      case BROADCAST -> vector(only(call.root()));
      case ALL_GATHER -> gathered(rank);
      case GATHER -> rank == call.root() ? gathered(rank) : List.of();
      case REDUCE_SCATTER -> block(rank, everyone());
      case SCATTER -> block(rank, only(call.root()));
      case BARRIER -> List.of();
      default -> received(rank);
    };
  }

  private boolean isPairwise() {
    return switch (call.collective().even()) {
      case ALL_TO_ALL, EXCHANGE -> true;
      default -> false;
    };
  }

  private List<Stretch> vector(BitSet contributors) {
    return ImmutableList.of(new Stretch(0, call.layout().count(0), 0, contributors));
  }

  private List<Stretch> block(int rank, BitSet contributors) {
    return ImmutableList.of(
        new Stretch(0, call.layout().count(rank), blocks[0][rank], contributors));
  }

  private List<Stretch> all(Layout layout, long[] ids, int contributor) {
    List<Stretch> all = new ArrayList<>();
    for (int to = 0; to < size; to++) {
      all.add(new Stretch(layout.offset(to), layout.count(to), ids[to], only(contributor)));
    }
    return all;
  }

  private List<Stretch> gathered(int rank) {
    Layout layout = calls.get(rank).layout();
    List<Stretch> all = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      all.add(new Stretch(layout.offset(from), layout.count(from), blocks[0][from], only(from)));
    }
    return all;
  }

  private List<Stretch> received(int rank) {
    Layout layout = calls.get(rank).layout().receives();
    List<Stretch> all = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      all.add(new Stretch(layout.offset(from), layout.count(from), blocks[from][rank], only(from)));
    }
    return all;
  }

  private static BitSet only(int rank) {
    BitSet only = new BitSet();
    only.set(rank);
    return only;
  }

  private BitSet everyone() {
    BitSet everyone = new BitSet(size);
    everyone.set(0, size);
    return everyone;
  }
}
