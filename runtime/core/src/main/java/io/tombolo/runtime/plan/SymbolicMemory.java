// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.EnumMap;
import java.util.Map;

/** The memories of one rank, holding {@link Value}s instead of numbers. */
final class SymbolicMemory {
  private final int rank;
  private final Map<Space, Contents> spaces = new EnumMap<>(Space.class);
  private boolean anyPosted;

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

  /** Overwrites {@code range} of a device's memory by a NIC: the device may not see it yet. */
  void post(Range range, Contents contents) {
    anyPosted = true;
    write(range, contents.map(value -> value.posted(true)));
  }

  /** Makes the device see what NICs wrote to {@code range}. */
  void flush(Range range, Object where) {
    write(range, read(range, where).map(value -> value.posted(false)));
  }

  /** A defect if a NIC wrote to {@code range} what the device may not see yet. */
  void checkFlushed(Range range, Object where) {
    if (anyPosted
        && spaces.get(range.space()).part(range.offset(), range.length()).pieces().stream()
            .anyMatch(piece -> piece.value().posted())) {
      throw new PlanDefect(
          where + " touches " + range + " of rank " + rank + ", received and not flushed");
    }
  }

  /** Overwrites {@code range}. */
  void write(Range range, Contents contents) {
    spaces.get(range.space()).put(range.offset(), range.length(), contents);
  }
}
