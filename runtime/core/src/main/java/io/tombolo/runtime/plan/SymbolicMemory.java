package io.tombolo.runtime.plan;

import java.util.EnumMap;
import java.util.Map;

/** The memories of one rank, holding {@link Value}s instead of numbers. */
final class SymbolicMemory {
  private final int rank;
  private final Map<Space, Contents> spaces = new EnumMap<>(Space.class);

  SymbolicMemory(int rank) {
    this.rank = rank;
    for (Space space : Space.values()) {
      spaces.put(space, new Contents());
    }
  }

  /** What {@code space} holds. */
  Contents contents(Space space) {
    return spaces.get(space);
  }

  /** What {@code range} holds; a defect if any of it was never written. */
  Contents read(Range range, Object where) {
    Contents read = spaces.get(range.space()).part(range.offset(), range.length());
    if (read.elements() < range.length()) {
      throw new PlanDefect(
          where
              + " reads "
              + range
              + " of rank "
              + rank
              + ", never written from "
              + (range.offset() + firstGap(read)));
    }
    return read;
  }

  private static long firstGap(Contents read) {
    long reached = 0;
    for (Contents.Piece piece : read.pieces()) {
      reached = piece.at() == reached ? piece.end() : reached;
    }
    return reached;
  }

  /** Overwrites {@code range}. */
  void write(Range range, Contents contents) {
    spaces.get(range.space()).put(range.offset(), range.length(), contents);
  }
}
