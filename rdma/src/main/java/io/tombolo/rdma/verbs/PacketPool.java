// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;

/** Registered places of one size for packets on their way out or in. */
final class PacketPool implements AutoCloseable {
  private final int slots;
  private final int slotBytes;
  private final NativeMemory memory;
  private final HostPinner.Pin pin;
  private final MemoryRegion region;
  private final ByteBuffer[] views;
  private boolean staysMapped;

  PacketPool(ProtectionDomain domain, int slots, int slotBytes, HostPinner pinner) {
    this.slots = slots;
    this.slotBytes = slotBytes;
    try (CloseStack stack = new CloseStack()) {
      memory = stack.opened(NativeMemory.allocate((long) slots * slotBytes));
      pin = stack.opened(pinner.pin(memory.address(), memory.sizeBytes()));
      region = stack.opened(domain.register(memory, Access.LOCAL_WRITE));
      stack.keep();
    }
    views = new ByteBuffer[slots];
    for (int slot = 0; slot < slots; slot++) {
      views[slot] = memory.view((long) slot * slotBytes, slotBytes);
    }
  }

  int slots() {
    return slots;
  }

  int slotBytes() {
    return slotBytes;
  }

  /** The host address of the first byte of {@code slot}. */
  long address(int slot) {
    return memory.address((long) slot * slotBytes, slotBytes);
  }

  /** One buffer per slot, whose position and limit stay as left. */
  ByteBuffer view(int slot) {
    return views[slot];
  }

  int localKey() {
    return region.localKey();
  }

  /** A device may copy into it, or out of it, for good: only the NIC lets go of it. */
  void keepMapped() {
    staysMapped = true;
  }

  @Override
  public void close() {
    region.close();
    if (!staysMapped) {
      pin.closeWith(memory);
    }
  }
}
