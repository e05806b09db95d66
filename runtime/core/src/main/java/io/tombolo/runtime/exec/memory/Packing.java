// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import com.google.common.collect.ImmutableList;

/**
 * How several small calls share one buffer of the communicator, so that one program serves them
 * all.
 *
 * @param sizeBytes of the shared buffer
 * @param inputOffset where the program's input begins in it
 * @param outputOffset where its output begins; the program runs in place
 * @param in what is copied into it first
 * @param out what is copied from it in the end
 */
public record Packing(
    long sizeBytes,
    long inputOffset,
    long outputOffset,
    ImmutableList<Piece> in,
    ImmutableList<Piece> out) {
  /** Bytes of a caller's buffer, and where they lie in the shared one. */
  public record Piece(long address, long offset, long sizeBytes) {}
}
