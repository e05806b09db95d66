// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.reliable.SlabPool;

/**
 * The memory of a process that peers' unreliable writes may land in: host memory, pinned for this
 * process's device, and handed out slot by slot, each time under a new key.
 */
final class Slab implements AutoCloseable {
  private final NativeMemory memory;
  private final HostPinner.Pin pin;
  private final MemoryRegion region;
  private final Fence fence;
  private final SlabPool pool;
  private boolean staysMapped;

  Slab(NicPort nic, int slots, long slotBytes, HostPinner pinner) {
    try (CloseStack stack = new CloseStack()) {
      memory = stack.opened(NativeMemory.allocate(slots * slotBytes));
      pin = stack.opened(pinner.pin(memory.address(), memory.sizeBytes()));
      region = stack.opened(nic.domain().register(memory, Access.LOCAL_WRITE | Access.WINDOWS));
      fence = stack.opened(fence(nic, slots, slotBytes));
      pool =
          new SlabPool(
              slots,
              slotBytes,
              memory.address(),
              memory.address(),
              LossySizing.PACKET_LIFE_NS,
              fence);
      stack.keep();
    }
  }

  /** By memory windows, if the device has one for each slot. */
  private Fence fence(NicPort nic, int slots, long slotBytes) {
    return nic.hasWindows() && nic.attributes().maxWindows() >= slots
        ? new WindowFence(nic, region, slots, slotBytes)
        : new RegistrationFence(nic.domain(), memory.address(), slots, slotBytes);
  }

  /** Where slots come from, for all channels. */
  SlabPool pool() {
    return pool;
  }

  /** A device may copy into it, or out of it, for good: only the NIC lets go of it. */
  void keepMapped() {
    staysMapped = true;
  }

  @Override
  public void close() {
    fence.close();
    region.close();
    if (!staysMapped) {
      pin.closeWith(memory);
    }
  }
}
