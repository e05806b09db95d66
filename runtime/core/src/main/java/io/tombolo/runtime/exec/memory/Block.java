// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

/** An allocation that is lent to one task after the other. */
public sealed interface Block extends AutoCloseable permits Stage, Scratch {
  /** Its size; 0 where nothing was asked for. */
  long sizeBytes();

  /** Frees it, which may wait for all work of the device. */
  @Override
  void close();
}
