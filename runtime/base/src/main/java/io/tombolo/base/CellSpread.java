// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/**
 * Where cells that are used in turn lie in a block of memory. Two sides poll each, so up to 128 of
 * them have a cache line each. More share lines, eight at most, and always with cells that are as
 * many places away as there are lines: what is used at the same time seldom meets.
 *
 * @param count the number of cells, each with a number from 0
 */
public record CellSpread(int count) {
  private static final int LINE_BYTES = 64;
  private static final int CELLS_IN_A_LINE = LINE_BYTES / Long.BYTES;
  private static final int LINES = 128;

  private int lines() {
    return Math.max(Math.min(count, LINES), (count + CELLS_IN_A_LINE - 1) / CELLS_IN_A_LINE);
  }

  /** The size of the block. */
  public long sizeBytes() {
    return (long) lines() * LINE_BYTES;
  }

  /** Where cell {@code number} is in the block. */
  public long offset(int number) {
    int lines = lines();
    return (long) (number % lines) * LINE_BYTES + (long) (number / lines) * Long.BYTES;
  }
}
