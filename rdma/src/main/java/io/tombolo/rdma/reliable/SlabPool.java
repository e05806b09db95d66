// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The registered memory that remote writes of all channels of a process may land in, cut into slots
 * and handed out as credit.
 *
 * <p>The slot that came back longest ago is the next, under a new key: one that it has not had
 * within the life of a packet. Where keys have not rested for so long, the sender waits. A slot
 * whose fence failed is tried again later. {@link SlabTurns} says who is next. Used by one thread.
 */
public class SlabPool {
  /** {@link #acquire}'s answer when the credit is used up, or its next slot not fenced yet. */
  public static final int NONE = -1;

  /**
   * How long a packet lives at most: what OpenSM says by default, and far above any switch's queue.
   * Both ends go by it: keys rest for so long, and a sender has to know within half of it that what
   * it repeats is missing.
   */
  public static final long PACKET_LIFE_NS = 1_000_000_000;

  private final long hostAddress;
  private final long remoteAddress;
  private final long slotBytes;
  private final long packetLifeNs;
  private final SlabFence fence;
  private final SlabTurns turns;
  private final int[] free;
  private final int[] generations;
  private final int[] keys;
  private final boolean[] fenced;
  private final long[] readyNs;
  private final KeyHistory[] histories;
  private int first;
  private int freeCount;
  private int justReturned;
  private long fenceFailures;
  private long waitsForKeys;

  /**
   * A pool over {@code slots} slots of {@code slotBytes} that this process sees at {@code
   * hostAddress} and its peers at {@code remoteAddress}.
   *
   * @param packetLifeNs longest that a write arrives after its slot came back
   */
  public SlabPool(
      int slots,
      long slotBytes,
      long hostAddress,
      long remoteAddress,
      long packetLifeNs,
      SlabFence fence) {
    this.slotBytes = slotBytes;
    this.hostAddress = hostAddress;
    this.remoteAddress = remoteAddress;
    this.packetLifeNs = packetLifeNs;
    this.fence = fence;
    turns = new SlabTurns(slots);
    free = new int[slots];
    generations = new int[slots];
    keys = new int[slots];
    fenced = new boolean[slots];
    readyNs = new long[slots];
    histories = new KeyHistory[slots];
    for (int slot = 0; slot < slots; slot++) {
      free[slot] = slot;
      histories[slot] = new KeyHistory();
    }
    freeCount = slots;
  }

  /**
   * A slot under a new key, or {@link #NONE}, for now.
   *
   * @param share what the channel has already
   * @param asked whether its peer has something to write there
   */
  int acquire(SlabShare share, boolean asked, long nowNs) {
    endLives(nowNs);
    int slot = turns.mayHave(share, asked, freeCount) ? take(nowNs) : NONE;
    if (slot != NONE) {
      share.held++;
      turns.leaveLine(share);
    }
    return slot;
  }

  private int take(long nowNs) {
    for (int tries = freeCount; tries > 0; tries--) {
      int slot = free[first];
      if (!fenced[slot] && !fence(slot)) {
        return NONE; // it stays the next
      }
      if (fenced[slot] && nowNs >= readyNs[slot]) {
        removeFirst();
        fenced[slot] = false;
        generations[slot]++;
        return slot;
      }
      waitsForKeys += fenced[slot] ? 1 : 0;
      removeFirst();
      add(slot);
    }
    return NONE;
  }

  /** Tries to give {@code slot} a new key; false while the device is busy with it. */
  private boolean fence(int slot) {
    long key = fence.renew(slot);
    if (key == SlabFence.PENDING) {
      return false;
    }
    if (key == SlabFence.FAILED) {
      fenceFailures++;
      return true;
    }
    keys[slot] = (int) key;
    fenced[slot] = true;
    readyNs[slot] = histories[slot].freeFromNs((int) key, packetLifeNs);
    return true;
  }

  /** Whether only the device or a key's rest may keep a slot from one whose peer is silent. */
  boolean givesUnasked(SlabShare share) {
    return turns.mayHave(share, false, freeCount);
  }

  /** Takes a slot back; nothing may read it any more. It is fenced when it is handed out again. */
  void release(SlabShare share, int slot) {
    share.held--;
    add(slot);
    justReturned++;
  }

  /** The channel of {@code share} takes no slot any more. */
  void forget(SlabShare share) {
    turns.leaveLine(share);
  }

  /** Those that came back since the last look did so by now. */
  private void endLives(long nowNs) {
    for (; justReturned > 0; justReturned--) {
      int slot = free[(first + freeCount - justReturned) % free.length];
      histories[slot].end(keys[slot], nowNs);
    }
  }

  private void add(int slot) {
    free[(first + freeCount++) % free.length] = slot;
  }

  private void removeFirst() {
    first = (first + 1) % free.length;
    freeCount--;
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

  /** Times a slot was passed over because its next key has not rested for long enough. */
  public long waitsForKeys() {
    return waitsForKeys;
  }
}
