// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.reliable.SlabFence;
import io.tombolo.rdma.reliable.SlabPool;
import java.util.Arrays;

/**
 * Registered memory of a node that remote writes may land in, one key per slot; its remote
 * addresses begin at 0. A write under a key that is not the slot's own lands nowhere.
 *
 * <p>A key is the slot's own number and a tag that each renewal steps, of 8 bits as {@code
 * ibv_inc_rkey} and the drivers of mlx4, mlx5, hns and irdma have it: the 256th renewal brings a
 * former key back. It takes as long as a memory window is bound; meanwhile the former key holds.
 * Where there are no windows, the slot's registration ends first, so that it has no key at all if
 * it then gets none.
 */
public final class SimulatedSlab implements SlabFence, AutoCloseable {
  /** The narrowest tags of real providers. */
  public static final int TAG_BITS = 8;

  /** How long a packet may live: longer than any is under way here. */
  public static final long PACKET_LIFE_NS = SlabPool.PACKET_LIFE_NS;

  private static final int NONE = -1;
  private static final int NO_KEY = -1;

  private final SimulatedNetwork network;
  private final NativeMemory bytes;
  private final long slotBytes;
  private final int[] keys;
  private final int[] tags;
  private final int tagBits;
  private final long bindNs;
  private final SlabPool pool;
  private int binding = NONE;
  private long boundNs;

  /** A slab of {@code slots} slots. */
  public SimulatedSlab(SimulatedNetwork network, int slots, long slotBytes) {
    this(network, slots, slotBytes, TAG_BITS, PACKET_LIFE_NS, SimulatedNic.NO_WINDOWS);
  }

  /**
   * A slab with keys of {@code tagBits}, each renewed within {@code bindNs}, whose pool takes
   * {@code packetLifeNs} for sure.
   */
  public SimulatedSlab(
      SimulatedNetwork network,
      int slots,
      long slotBytes,
      int tagBits,
      long packetLifeNs,
      long bindNs) {
    this.network = network;
    this.bindNs = bindNs;
    this.tagBits = tagBits;
    this.slotBytes = slotBytes;
    bytes = NativeMemory.allocate(slots * slotBytes);
    keys = new int[slots];
    Arrays.fill(keys, NO_KEY);
    tags = new int[slots];
    pool = new SlabPool(slots, slotBytes, bytes.address(), 0, packetLifeNs, this);
  }

  /** The credit over this slab. */
  public SlabPool pool() {
    return pool;
  }

  @Override
  public long renew(int slot) {
    if (binding != NONE && network.nowNs() <= boundNs) {
      return PENDING;
    }
    if (binding == slot) {
      binding = NONE;
      return keys[slot];
    }
    if (bindNs == SimulatedNic.NO_WINDOWS) {
      keys[slot] = NO_KEY;
    }
    if (!network.canFence()) {
      return FAILED;
    }
    tags[slot] = (tags[slot] + 1) & ((1 << tagBits) - 1);
    int key = (slot << TAG_BITS) | tags[slot];
    if (bindNs == SimulatedNic.NO_WINDOWS) {
      keys[slot] = key;
      return key;
    }
    binding = slot;
    boundNs = network.nowNs() + bindNs;
    network.at(boundNs, () -> keys[slot] = key);
    return PENDING;
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
