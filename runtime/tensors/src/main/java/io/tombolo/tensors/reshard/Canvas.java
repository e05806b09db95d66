// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import io.tombolo.tensors.layout.Box;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A box on which other boxes are painted, in tiles as large as the cuts of all boxes leave them.
 */
final class Canvas {
  private final long[][] cuts;
  private final BitSet painted = new BitSet();
  private final int tiles;

  /** A blank canvas for painting some of {@code boxes}, which lie in {@code whole}. */
  Canvas(Box whole, List<Box> boxes) {
    this.cuts =
        IntStream.range(0, whole.dimensions())
            .mapToObj(dim -> cuts(whole, boxes, dim))
            .toArray(long[][]::new);
    this.tiles =
        Arrays.stream(cuts).mapToInt(line -> line.length - 1).reduce(1, Math::multiplyExact);
  }

  private static long[] cuts(Box whole, List<Box> boxes, int dim) {
    return Stream.concat(Stream.of(whole), boxes.stream())
        .flatMapToLong(box -> LongStream.of(box.from(dim), box.to(dim)))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Paints {@code box}; false if some of it was painted before. */
  boolean paint(Box box) {
    boolean fresh = true;
    for (int tile = 0; tile < tiles; tile++) {
      if (box.contains(boxOf(tile))) {
        fresh &= !painted.get(tile);
        painted.set(tile);
      }
    }
    return fresh;
  }

  /** A tile that is not painted. */
  Optional<Box> blank() {
    int tile = painted.nextClearBit(0);
    return tile < tiles ? Optional.of(boxOf(tile)) : Optional.empty();
  }

  private Box boxOf(int tile) {
    long[] from = new long[cuts.length];
    long[] to = new long[cuts.length];
    int rest = tile;
    for (int dim = cuts.length - 1; dim >= 0; dim--) {
      int index = rest % (cuts[dim].length - 1);
      rest /= cuts[dim].length - 1;
      from[dim] = cuts[dim][index];
      to[dim] = cuts[dim][index + 1];
    }
    return Box.between(from, to);
  }
}
