// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.MemoryExport;
import io.tombolo.base.errors.TomboloException;

/** New keys by registering each slot again, for devices without memory windows: a system call. */
final class RegistrationFence implements Fence {
  private final ProtectionDomain domain;
  private final long address;
  private final long slotBytes;
  private final MemoryRegion[] regions;

  /** Fences {@code slots} slots of {@code slotBytes} from host address {@code address} on. */
  RegistrationFence(ProtectionDomain domain, long address, int slots, long slotBytes) {
    this.domain = domain;
    this.address = address;
    this.slotBytes = slotBytes;
    regions = new MemoryRegion[slots];
  }

  @Override
  public long renew(int slot) {
    try {
      if (regions[slot] != null) {
        regions[slot].close();
        regions[slot] = null;
      }
      regions[slot] =
          domain.register(
              new MemoryExport.Host(address + slot * slotBytes),
              slotBytes,
              Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      return Integer.toUnsignedLong(regions[slot].remoteKey());
    } catch (TomboloException e) {
      return FAILED; // counted by the pool, which tries again
    }
  }

  @Override
  public void close() {
    for (MemoryRegion region : regions) {
      if (region != null) {
        region.close();
      }
    }
  }
}
