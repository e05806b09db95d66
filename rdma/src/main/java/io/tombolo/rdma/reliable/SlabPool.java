// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The registered memory that remote writes of all channels of a process may land in, cut into slots
 * and handed out as credit.
 *
 * <p>A slot is handed out only under a remote key it never had before, and taken back only when
 * nothing reads it any more. A slot whose fence failed is tried again later. Used by one thread;
 * allocates once.
 */
public final class SlabPool {
  /** {@link #acquire}'s answer when the credit is used up, or its next slot not fenced yet. */
  public static final int NONE = -1;

  private final long hostAddress;
  private final long remoteAddress;
  private final long slotBytes;
  private final SlabFence fence;
  private final int[] free;
  private final int[] generations;
  private final int[] keys;
  private int freeCount;
  private long fenceFailures;

  /**
   * A pool over {@code slots} slots of {@code slotBytes} that this process sees at {@code
   * hostAddress} and its peers at {@code remoteAddress}.
   */
  public SlabPool(
      int slots, long slotBytes, long hostAddress, long remoteAddress, SlabFence fence) {
    this.slotBytes = slotBytes;
    this.hostAddress = hostAddress;
    this.remoteAddress = remoteAddress;
    this.fence = fence;
    free = new int[slots];
    generations = new int[slots];
    keys = new int[slots];
    for (int slot = slots - 1; slot >= 0; slot--) {
      free[freeCount++] = slot;
    }
  }

  /** A slot under a new key, or {@link #NONE}, for now. */
  int acquire() {
    for (int tries = freeCount; tries > 0; tries--) {
      int slot = free[--freeCount];
      long key = fence.renew(slot);
      if (key == SlabFence.PENDING) {
        freeCount++; // it stays the next
        return NONE;
      }
      if (key != SlabFence.FAILED) {
        generations[slot]++;
        keys[slot] = (int) key;
        return slot;
      }
      fenceFailures++;
      System.arraycopy(free, 0, free, 1, freeCount);
      free[0] = slot;
      freeCount++;
    }
    return NONE;
  }

  /** Takes a slot back; nothing may read it any more. It is fenced when it is handed out again. */
  void release(int slot) {
    free[freeCount++] = slot;
  }

  int generation(int slot) {
    return generations[slot];
  }

  int remoteKey(int slot) {
    return keys[slot];
  }

  long hostAddress(int slot) {
    return hostAddress + slot * slotBytes;
  }

  long remoteAddress(int slot) {
    return remoteAddress + slot * slotBytes;
  }

  long slotBytes() {
    return slotBytes;
  }

  /** Slots handed out. */
  public int slotsInUse() {
    return free.length - freeCount;
  }

  /** Times a slot could not get a new key. */
  public long fenceFailures() {
    return fenceFailures;
  }
}
