// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** What a memory, or a range of one, holds in symbols: pieces in order, with gaps between them. */
final class Contents {

  /**
   * A stretch of one value.
   *
   * @param at first element's place
   * @param length elements
   * @param value the value, as if it began at place 0: it can be cut anywhere
   */
  record Piece(long at, long length, Value value) {
    long end() {
      return at + length;
    }

    private Piece between(long from, long to) {
      return from <= at && end() <= to
          ? this
          : new Piece(Math.max(at, from), Math.min(end(), to) - Math.max(at, from), value);
    }

    private Piece moved(long by) {
      return by == 0 ? this : new Piece(at + by, length, value.moved(by));
    }
  }

  private final List<Piece> pieces = new ArrayList<>();

  List<Piece> pieces() {
    return pieces;
  }

  /** Elements that hold something. */
  long elements() {
    long elements = 0;
    for (Piece piece : pieces) {
      elements += piece.length();
    }
    return elements;
  }

  /** What is in the {@code length} elements from {@code from} on, as if they began at place 0. */
  Contents part(long from, long length) {
    Contents part = new Contents();
    for (int i = firstBeyond(from); i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      if (piece.at() >= from + length) {
        break;
      }
      part.pieces.add(piece.between(from, from + length).moved(-from));
    }
    return part;
  }

  /** Has {@code other}, {@code length} elements of it, overwrite what was at {@code from}. */
  void put(long from, long length, Contents other) {
    List<Piece> replaced = new ArrayList<>(other.pieces.size() + 2);
    int first = firstBeyond(from);
    int next = first;
    if (first < pieces.size() && pieces.get(first).at() < from) {
      replaced.add(pieces.get(first).between(0, from));
    }
    for (Piece piece : other.pieces) {
      replaced.add(piece.moved(from));
    }
    while (next < pieces.size() && pieces.get(next).end() <= from + length) {
      next++;
    }
    if (next < pieces.size() && pieces.get(next).at() < from + length) {
      replaced.add(pieces.get(next).between(from + length, Long.MAX_VALUE));
      next++;
    }
    pieces.subList(first, next).clear();
    pieces.addAll(first, replaced);
  }

  /** One value in {@code length} elements; none in no elements. */
  static Contents of(long length, Value value) {
    Contents contents = new Contents();
    if (length > 0) {
      contents.pieces.add(new Piece(0, length, value));
    }
    return contents;
  }

  /** Each element of this with that of {@code other}; both hold equally many, without gaps. */
  Contents zip(Contents other, BinaryOperator<Value> both) {
    Contents combined = new Contents();
    int left = 0;
    int right = 0;
    long from = 0;
    while (left < pieces.size() && right < other.pieces.size()) {
      Piece one = pieces.get(left);
      Piece two = other.pieces.get(right);
      long to = Math.min(one.end(), two.end());
      combined.pieces.add(new Piece(from, to - from, both.apply(one.value(), two.value())));
      left += one.end() == to ? 1 : 0;
      right += two.end() == to ? 1 : 0;
      from = to;
    }
    if (left < pieces.size() || right < other.pieces.size()) {
      throw new PlanDefect("operands of different length: nothing at element " + from);
    }
    return combined;
  }

  /** These contents with each value changed. */
  Contents map(UnaryOperator<Value> change) {
    Contents changed = new Contents();
    for (Piece piece : pieces) {
      changed.pieces.add(new Piece(piece.at(), piece.length(), change.apply(piece.value())));
    }
    return changed;
  }

  /** The index of the first piece that does not end by {@code at}. */
  private int firstBeyond(long at) {
    int low = 0;
    int high = pieces.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pieces.get(middle).end() <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
