// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

/**
 * Memory that is lent to one task after the other.
 *
 * @param stage for messages and arithmetic
 * @param scratch device memory
 * @param packed device memory for small calls that are made one
 */
public record TaskMemory(Stage stage, Arena scratch, Arena packed) implements AutoCloseable {
  @Override
  public void close() {
    stage.close();
    scratch.close();
    packed.close();
  }
}
