package io.tombolo.runtime.plan;

import com.google.common.collect.RangeMap;
import com.google.common.collect.TreeRangeMap;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** The memories of one rank, holding {@link Value}s instead of numbers. */
final class SymbolicMemory {

  /**
   * A stretch of one value.
   *
   * @param length elements
   * @param value the value, as if the stretch began at offset 0
   */
  record Piece(long length, Value value) {}

  private final int rank;
  private final Map<Space, RangeMap<Long, Value>> spaces = new EnumMap<>(Space.class);

  SymbolicMemory(int rank) {
    this.rank = rank;
    for (Space space : Space.values()) {
      spaces.put(space, TreeRangeMap.create());
    }
  }

  /** Sets what {@code range} holds before anything runs. */
  void put(Range range, Value value) {
    if (range.length() > 0) {
      spaces.get(range.space()).put(extent(range.offset(), range.end()), value);
    }
  }

  /**
   * The stretches that {@code range} holds, by offset from its start; a defect if any of it was
   * never written.
   */
  NavigableMap<Long, Piece> read(Range range, Object where) {
    NavigableMap<Long, Piece> pieces = new TreeMap<>();
    long reached = range.offset();
    RangeMap<Long, Value> here =
        spaces.get(range.space()).subRangeMap(extent(range.offset(), range.end()));
    for (Map.Entry<com.google.common.collect.Range<Long>, Value> entry :
        here.asMapOfRanges().entrySet()) {
      long from = entry.getKey().lowerEndpoint();
      if (from != reached) {
        break;
      }
      reached = entry.getKey().upperEndpoint();
      pieces.put(from - range.offset(), new Piece(reached - from, entry.getValue().moved(from, 0)));
    }
    if (reached != range.end()) {
      throw new PlanDefect(
          where + " reads " + range + " of rank " + rank + ", never written from " + reached);
    }
    return pieces;
  }

  /** Stores stretches as {@link #read} gave them. */
  void write(Range range, NavigableMap<Long, Piece> pieces) {
    pieces.forEach(
        (at, piece) -> {
          long from = range.offset() + at;
          spaces
              .get(range.space())
              .put(extent(from, from + piece.length()), piece.value().moved(0, from));
        });
  }

  /** Combines two equally long readings. */
  static NavigableMap<Long, Piece> combine(
      NavigableMap<Long, Piece> left, NavigableMap<Long, Piece> right, Object where) {
    TreeSet<Long> ends = new TreeSet<>();
    left.forEach((at, piece) -> ends.add(at + piece.length()));
    right.forEach((at, piece) -> ends.add(at + piece.length()));
    NavigableMap<Long, Piece> combined = new TreeMap<>();
    long from = 0;
    for (long to : ends) {
      combined.put(
          from,
          new Piece(to - from, valueAt(left, from).combinedWith(valueAt(right, from), where)));
      from = to;
    }
    return combined;
  }

  /** A reading with each value changed. */
  static NavigableMap<Long, Piece> map(
      NavigableMap<Long, Piece> pieces, UnaryOperator<Value> change) {
    NavigableMap<Long, Piece> changed = new TreeMap<>();
    pieces.forEach(
        (at, piece) -> changed.put(at, new Piece(piece.length(), change.apply(piece.value()))));
    return changed;
  }

  /** The part of a reading in {@code [from, from + length)}. */
  static NavigableMap<Long, Piece> slice(NavigableMap<Long, Piece> pieces, long from, long length) {
    NavigableMap<Long, Piece> part = new TreeMap<>();
    long at = from;
    while (at < from + length) {
      Map.Entry<Long, Piece> entry = pieces.floorEntry(at);
      long end = Math.min(entry.getKey() + entry.getValue().length(), from + length);
      part.put(at - from, new Piece(end - at, valueAt(pieces, at)));
      at = end;
    }
    return part;
  }

  private static Value valueAt(NavigableMap<Long, Piece> pieces, long at) {
    Map.Entry<Long, Piece> entry = pieces.floorEntry(at);
    if (entry == null || at >= entry.getKey() + entry.getValue().length()) {
      throw new PlanDefect("operands of different length: nothing at element " + at);
    }
    return entry.getValue().value().moved(at - entry.getKey(), 0);
  }

  private static com.google.common.collect.Range<Long> extent(long from, long to) {
    return com.google.common.collect.Range.closedOpen(from, to);
  }
}
