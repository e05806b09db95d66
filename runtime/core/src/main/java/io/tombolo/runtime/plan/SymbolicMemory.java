package io.tombolo.runtime.plan;

import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
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
  private final Map<Space, NavigableMap<Long, Piece>> spaces = new EnumMap<>(Space.class);

  SymbolicMemory(int rank) {
    this.rank = rank;
    for (Space space : Space.values()) {
      spaces.put(space, new TreeMap<>());
    }
  }

  /** Sets what {@code range} holds before anything runs. */
  void put(Range range, Value value) {
    if (range.length() > 0) {
      set(spaces.get(range.space()), range.offset(), new Piece(range.length(), value));
    }
  }

  /**
   * The stretches that {@code range} holds, by offset from its start; a defect if any of it was
   * never written.
   */
  NavigableMap<Long, Piece> read(Range range, Object where) {
    NavigableMap<Long, Piece> here = spaces.get(range.space());
    NavigableMap<Long, Piece> pieces = new TreeMap<>();
    long reached = range.offset();
    while (reached < range.end()) {
      Map.Entry<Long, Piece> entry = here.floorEntry(reached);
      if (entry == null || end(entry) <= reached) {
        throw new PlanDefect(
            where + " reads " + range + " of rank " + rank + ", never written from " + reached);
      }
      long to = Math.min(end(entry), range.end());
      Value value = entry.getValue().value().moved(reached, 0);
      pieces.put(reached - range.offset(), new Piece(to - reached, value));
      reached = to;
    }
    return pieces;
  }

  /** Elements of {@code space} that hold something. */
  long elements(Space space) {
    return spaces.get(space).values().stream().mapToLong(Piece::length).sum();
  }

  /** Calls {@code visitor} with every stretch of {@code space} and what it holds. */
  void forEach(Space space, BiConsumer<Range, Value> visitor) {
    spaces
        .get(space)
        .forEach(
            (at, piece) -> visitor.accept(new Range(space, at, piece.length()), piece.value()));
  }

  /** Stores stretches as {@link #read} gave them. */
  void write(Range range, NavigableMap<Long, Piece> pieces) {
    NavigableMap<Long, Piece> here = spaces.get(range.space());
    pieces.forEach(
        (at, piece) -> {
          long from = range.offset() + at;
          set(here, from, new Piece(piece.length(), piece.value().moved(0, from)));
        });
  }

  /** In memory, values are kept as if each stretch began at offset 0: it can be cut anywhere. */
  private static void set(NavigableMap<Long, Piece> here, long from, Piece piece) {
    long to = from + piece.length();
    cut(here, from);
    cut(here, to);
    here.subMap(from, to).clear();
    here.put(from, piece);
  }

  private static void cut(NavigableMap<Long, Piece> here, long at) {
    Map.Entry<Long, Piece> entry = here.lowerEntry(at);
    if (entry != null && end(entry) > at) {
      Value value = entry.getValue().value();
      here.put(entry.getKey(), new Piece(at - entry.getKey(), value));
      here.put(at, new Piece(end(entry) - at, value));
    }
  }

  private static long end(Map.Entry<Long, Piece> entry) {
    return entry.getKey() + entry.getValue().length();
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
}
