// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

/**
 * What one task works in, until it is done.
 *
 * @param stage for messages and arithmetic
 * @param scratch device memory
 * @param packed device memory for small calls that are made one
 */
public record TaskMemory(Stage stage, Scratch scratch, Scratch packed) {
  /** Whether each is at least as large as said. */
  boolean suffices(long stageBytes, long scratchBytes, long packedBytes) {
    return stage.sizeBytes() >= stageBytes
        && scratch.sizeBytes() >= scratchBytes
        && packed.sizeBytes() >= packedBytes;
  }
}
