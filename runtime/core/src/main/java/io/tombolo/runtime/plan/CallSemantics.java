// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What a call means: which elements lie in each rank's input, and which each rank's output must
 * hold in the end. Elements are numbered through the whole job; those that combine share a number.
 */
final class CallSemantics {
  private final List<CollectiveCall> calls;
  private final CollectiveCall call;
  private final Signature signature;
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
  CallSemantics(List<CollectiveCall> calls) {
    this.calls = calls;
    this.call = calls.get(0);
    this.signature = call.collective().signature();
    this.size = calls.size();
    this.blocks = new long[size][];
    boolean pairs = signature.isPairwise();
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
    Signature.Side input = signature.input();
    if (!input.isAt(rank, call.root())) {
      return List.of();
    }
    return switch (input.content()) {
      case NOTHING -> List.of();
      case VECTOR -> vector(only(rank));
      case BLOCK -> block(rank, only(rank));
      case BLOCKS -> all(layout.sends(), blocks[signature.isPairwise() ? rank : 0], rank);
    };
  }

  /** What {@code rank}'s output must hold in the end. */
  List<Stretch> outputs(int rank) {
    Signature.Side output = signature.output();
    if (!output.isAt(rank, call.root())) {
      return List.of();
    }
    return switch (output.content()) {
      case NOTHING -> List.of();
      case VECTOR -> vector(contributors(rank, rank));
      case BLOCK -> block(rank, contributors(rank, rank));
      case BLOCKS -> received(rank);
    };
  }

  /** Whose elements make up what {@code rank} gets by way of {@code sender}. */
  private BitSet contributors(int rank, int sender) {
    return switch (signature.source()) {
      case SENDER -> only(sender);
      case ROOT -> only(call.root());
      case EVERYONE -> firstRanks(size);
      case UP_TO_SELF -> firstRanks(rank + 1);
      case BEFORE_SELF -> firstRanks(rank);
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

  private List<Stretch> received(int rank) {
    Layout layout = calls.get(rank).layout().receives();
    List<Stretch> all = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      long id = signature.isPairwise() ? blocks[from][rank] : blocks[0][from];
      all.add(new Stretch(layout.offset(from), layout.count(from), id, contributors(rank, from)));
    }
    return all;
  }

  private static BitSet only(int rank) {
    BitSet only = new BitSet();
    only.set(rank);
    return only;
  }

  private static BitSet firstRanks(int count) {
    BitSet first = new BitSet(count);
    first.set(0, count);
    return first;
  }
}
