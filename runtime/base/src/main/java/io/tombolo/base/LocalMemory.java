// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.util.Optional;

/**
 * Memory whose bytes software moves for a fabric: a window of device or host memory, addressed by
 * offset.
 *
 * <p>Copies may be asynchronous (a device's DMA engine does them): each returns a ticket, and the
 * host side of the copy may be read or reused only once {@link #isDone} says so. Called by one
 * thread, the agent; never blocks.
 */
public interface LocalMemory {
  /** The ticket of a copy that finished before the call returned. */
  long DONE = 0;

  /** Bytes that can be addressed. */
  long sizeBytes();

  /**
   * Starts copying {@code [offset, offset + sizeBytes)} of this memory to host memory at {@code
   * hostAddress}.
   */
  long copyOut(long offset, long hostAddress, long sizeBytes);

  /**
   * Starts copying {@code sizeBytes} of host memory at {@code hostAddress} to {@code offset} of
   * this memory.
   */
  long copyIn(long offset, long hostAddress, long sizeBytes);

  /**
   * How a fabric may read and write this memory by itself, from its first byte on; it then need not
   * copy. It does so between the call that hands this memory over and the completion of that
   * message.
   */
  default MemoryExport export() {
    return MemoryExport.COPIES;
  }

  /**
   * The address of its first byte in this process, if it is ordinary memory of the host's, which
   * processors copy; 0 if it is a device's, or nobody knows. Another process of this host may read
   * it there from the call that hands it over until the completion of that message.
   */
  default long plainAddress() {
    return 0;
  }

  /**
   * The allocation that this memory lies in, if fabrics may register that and keep it so; from
   * {@link #blockOffset} on.
   */
  default Optional<MemoryBlock> block() {
    return Optional.empty();
  }

  /** Where in its {@link #block} this memory begins, in bytes. */
  default long blockOffset() {
    return 0;
  }

  /**
   * Whether an engine of this memory's own copies between it and {@code sizeBytes} of host memory
   * at {@code hostAddress}; if not, a processor touches the bytes on their way.
   */
  default boolean hasEngineFor(long hostAddress, long sizeBytes) {
    return false;
  }

  /** Whether the copy that {@code ticket} stands for has finished. */
  boolean isDone(long ticket);
}
