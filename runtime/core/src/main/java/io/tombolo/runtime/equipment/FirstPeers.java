// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * With whom a member exchanges in its first calls, so that they need not connect later. In a small
 * cluster that is everybody. Each connection has buffers of its own, and to join takes longer by
 * it: so in a larger one it is those whose positions differ by a power of two, around the ring of
 * all. These are the neighbours in rings, in recursive doubling, and in programs that lay their
 * ranks out in groups of 2, 4, 8 and so on. If one member exchanges with another, that one does so
 * with the first: else it would wait for it for ever.
 */
final class FirstPeers {
  /** Members of the largest cluster in which all exchange with all. */
  static final int MOST_OF_ALL = 64;

  private FirstPeers() {}

  /** Positions of those with whom member {@code position} of {@code size} exchanges. */
  static ImmutableSortedSet<Integer> of(int position, int size) {
    IntStream peers =
        size <= MOST_OF_ALL
            ? IntStream.range(0, size).filter(peer -> peer != position)
            : IntStream.iterate(1, distance -> distance < size, distance -> 2 * distance)
                .flatMap(distance -> IntStream.of(position + distance, position - distance))
                .map(peer -> Math.floorMod(peer, size));
    return peers
        .boxed()
        .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
  }
}
