// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** Gives a slab slot a new remote key: from then on, writes under the old one land nowhere. */
public interface SlabFence {
  /** What {@link #renew} answers if the registration failed; the slot stays unused. */
  long FAILED = -1;

  /** What {@link #renew} answers while the device is busy with it: ask again. */
  long PENDING = -2;

  /**
   * The new remote key of {@code slot} as an unsigned 32-bit number, {@link #FAILED} or {@link
   * #PENDING}. Does not block.
   */
  long renew(int slot);
}
