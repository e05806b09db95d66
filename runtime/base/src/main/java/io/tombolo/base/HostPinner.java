// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/**
 * Makes host memory reachable for a device's DMA engines for as long as the returned handle is
 * open, unless that might wait for the device: whoever has such an engine copy asks it whether it
 * reaches the memory.
 */
@FunctionalInterface
public interface HostPinner {
  /** Pins {@code [address, address + sizeBytes)}, if now it may; closing the result unpins it. */
  Pin pin(long address, long sizeBytes);

  /**
   * Pins {@code memory}, which is the result's from then on: now, or later, when that keeps nobody
   * waiting. Closing the result frees it, at once or when that keeps nobody waiting; no copy may
   * touch it any more.
   */
  default Pin adopt(NativeMemory memory) {
    Pin pin = pin(memory.address(), memory.sizeBytes());
    return () -> pin.closeWith(memory);
  }

  /** Whether the device is the host, whose processors copy to and from any memory of messages. */
  default boolean isForHost() {
    return true;
  }

  /** A pinner for processes without a device: nothing to do. */
  static HostPinner none() {
    return (address, sizeBytes) -> () -> {};
  }

  /** One pinned range. */
  @FunctionalInterface
  interface Pin extends AutoCloseable {
    @Override
    void close();

    /**
     * Whether the range is pinned although this was closed, as work of the device that has failed
     * may still touch it. It must stay mapped then: what the kernel maps there later is not what
     * the device has.
     */
    default boolean staysPinned() {
      return false;
    }

    /** Closes this, and {@code memory}, which it has pinned, unless that must stay. */
    default void closeWith(NativeMemory memory) {
      close();
      if (!staysPinned()) {
        memory.close();
      }
    }
  }
}
