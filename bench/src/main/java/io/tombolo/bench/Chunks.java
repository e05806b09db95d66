// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * The bytes that vectors consist of, over and over: a whole number of periods of a {@link Pattern},
 * from whatever element of it a part begins with. Not thread-safe.
 */
final class Chunks {
  private final Pattern pattern;
  private final int periods;
  private final int elementBytes;
  private final Map<Integer, byte[]> sources = new HashMap<>();
  private final Map<Integer, byte[]> combinations = new HashMap<>();

  Chunks(Pattern pattern, int periods, int elementBytes) {
    this.pattern = pattern;
    this.periods = periods;
    this.elementBytes = elementBytes;
  }

  /** What {@code rank} puts in. */
  byte[] input(int rank) {
    return sources.computeIfAbsent(rank, source -> pattern.inputBlock(source, periods));
  }

  /** What must be in {@code part} of a result. */
  byte[] expected(Operation.Part part) {
    byte[] source = part.combined() == 1 ? input(part.source()) : combined(part.combined());
    return rotated(source, (int) (part.from() % Pattern.PERIOD) * elementBytes);
  }

  private byte[] combined(int ranks) {
    return combinations.computeIfAbsent(ranks, first -> pattern.expectedBlock(first, periods));
  }

  /** {@code bytes} from byte {@code first} on, and then those before it. */
  private static byte[] rotated(byte[] bytes, int first) {
    byte[] rotated = new byte[bytes.length];
    System.arraycopy(bytes, first, rotated, 0, bytes.length - first);
    System.arraycopy(bytes, 0, rotated, bytes.length - first, first);
    return rotated;
  }
}
