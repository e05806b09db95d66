// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.reliable.SlabFence;
import io.tombolo.rdma.reliable.SlabPool;
import java.util.Arrays;

/**
 * Registered memory of a node that remote writes may land in, one key per slot; its remote
 * addresses begin at 0. A write under a key that is not the slot's own lands nowhere.
 */
public final class SimulatedSlab implements SlabFence, AutoCloseable {
  private final SimulatedNetwork network;
  private final NativeMemory bytes;
  private final long slotBytes;
  private final int[] keys;
  private final SlabPool pool;
  private int lastKey;

  /** A slab of {@code slots} slots. */
  public SimulatedSlab(SimulatedNetwork network, int slots, long slotBytes) {
    this.network = network;
    this.slotBytes = slotBytes;
    bytes = NativeMemory.allocate(slots * slotBytes);
    keys = new int[slots];
    Arrays.fill(keys, -1);
    pool = new SlabPool(slots, slotBytes, bytes.address(), 0, this);
  }

  /** The credit over this slab. */
  public SlabPool pool() {
    return pool;
  }

  @Override
  public long renew(int slot) {
    if (!network.canFence()) {
      return FAILED;
    }
    keys[slot] = ++lastKey;
    return lastKey;
  }

  /** What the NIC does with a write; whether it landed. */
  boolean write(long address, int key, byte[] payload) {
    int slot = (int) (address / slotBytes);
    if (address < 0
        || slot >= keys.length
        || keys[slot] != key
        || address % slotBytes + payload.length > slotBytes) {
      return false;
    }
    bytes.put(address, payload, 0, payload.length);
    return true;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
