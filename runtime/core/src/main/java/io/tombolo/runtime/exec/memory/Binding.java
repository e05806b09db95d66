// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.base.DataType;
import io.tombolo.base.LocalMemory;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Space;

/**
 * Where a program's memories really are.
 *
 * @param inputAddress device address of the caller's input
 * @param outputAddress device address of the caller's output
 * @param stage the stage; its host address is also its device address
 * @param scratchAddress device address of the scratch
 * @param type the elements that ranges count
 * @param windows the memories beside the stage that messages may lie in
 */
public record Binding(
    long inputAddress,
    long outputAddress,
    HostWindow stage,
    long scratchAddress,
    DataType type,
    Windows windows) {
  /** Address of the first element of {@code range}. */
  public long address(Range range) {
    long base =
        switch (range.space()) {
          case INPUT -> inputAddress;
          case OUTPUT -> outputAddress;
          case STAGE -> stage.address();
          case SCRATCH -> scratchAddress;
        };
    return base + offset(range);
  }

  /** The memory of {@code range}, as channels see it. */
  public LocalMemory memory(Range range) {
    return range.space() == Space.STAGE ? stage : windows.of(range.space());
  }

  /** Bytes from the beginning of its memory to {@code range}. */
  public long offset(Range range) {
    return range.offset() * type.sizeBytes();
  }

  /** Bytes of {@code range}. */
  public long bytes(Range range) {
    return range.length() * type.sizeBytes();
  }
}
