// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/**
 * How a piece of memory can be handed to a fabric. {@code adaptors} makes these and {@code rdma}
 * takes them; neither knows the other.
 */
public sealed interface MemoryExport {

  /** Host memory: {@code address} is valid in this process. */
  record Host(long address) implements MemoryExport {}

  /** Device memory behind a dma-buf file descriptor; the receiver of this value owns {@code fd}. */
  record DmaBuf(int fd, long offsetBytes) implements MemoryExport, AutoCloseable {
    /** Closes the descriptor; what was registered by it stays so. */
    @Override
    public void close() {
      NativeMemory.closeDescriptor(fd);
    }
  }

  /** Device memory that the NIC's driver can pin by its own address (peer memory). */
  record PeerMemory(long address) implements MemoryExport {}

  /** Device memory for a library that knows the device's runtime and moves it by itself (UCX). */
  record Device(long address, DeviceRuntime runtime) implements MemoryExport {}

  /** The device runtimes that such libraries know. */
  enum DeviceRuntime {
    /** NVIDIA's. */
    CUDA,
    /** AMD's. */
    ROCM
  }

  /** Memory the host can reach at {@code address} and that peers name by {@code iova}. */
  record HostAlias(long address, long iova) implements MemoryExport {}

  /** Memory no fabric can reach by itself: it is staged through {@link LocalMemory}. */
  record None(String reason) implements MemoryExport {}

  /** Memory of which only the copies of {@link LocalMemory} are known. */
  None COPIES = new None("only copies reach it");
}
