// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** Slots, and the keys they are handed out under. */
public class SlabPoolTest {
  private static final long LIFE_NS = 1_000_000_000;
  private static final int TAGS = 256;

  @Test
  public void shouldHandOutTheSlotThatCameBackLongestAgo() {
    Customers pool = new Customers(pool(3, LIFE_NS, new Tags(3)));
    int[] slots = {pool.acquire(0), pool.acquire(0), pool.acquire(0)};
    pool.release(slots[1]);
    pool.release(slots[0]);
    pool.release(slots[2]);
    assertEquals(pool.acquire(0), slots[1]);
    assertEquals(pool.acquire(0), slots[0]);
    assertEquals(pool.acquire(0), slots[2]);
    assertEquals(pool.acquire(0), SlabPool.NONE);
  }

  @Test
  public void shouldMakeSendersWaitWhileKeysHaveNotRested() {
    Customers pool = new Customers(pool(1, LIFE_NS, new Tags(1)));
    for (int life = 0; life < TAGS; life++) {
      pool.release(pool.acquire(0));
    }
    assertEquals(pool.acquire(0), SlabPool.NONE); // since this look, the last life is over
    assertEquals(pool.acquire(LIFE_NS - 1), SlabPool.NONE);
    assertEquals(pool.pool.waitsForKeys(), 2);
    assertEquals(pool.acquire(LIFE_NS), 0);
  }

  @Test
  public void shouldNotTrustKeysOfWhichItHasForgottenTheHistory() {
    SlabFence unique = new Tags(1, 1 << 20);
    Customers pool = new Customers(pool(1, LIFE_NS, unique));
    for (int life = 0; life < TAGS; life++) {
      pool.release(pool.acquire(0));
    }
    assertEquals(pool.acquire(0), SlabPool.NONE);
    assertEquals(pool.acquire(LIFE_NS), 0);
  }

  /** However many they are, and though all want all that they may have, and none gives back. */
  @Test
  public void shouldKeepHalfForThoseWhosePeersAsk() {
    SlabPool pool = pool(128, LIFE_NS, new Tags(128));
    SlabShare[] shares = shares(1000);
    for (SlabShare share : shares) {
      while (pool.acquire(share, false, 0) != SlabPool.NONE) {}
    }
    int[] held = Arrays.stream(shares).mapToInt(share -> share.held).toArray();
    assertEquals(Arrays.copyOf(held, 8), new int[] {32, 16, 8, 4, 2, 1, 1, 0});
    assertEquals(pool.slotsInUse(), 64);
    SlabShare asked = new SlabShare();
    while (pool.acquire(asked, true, 0) != SlabPool.NONE) {}
    assertEquals(asked.held, 32);
  }

  @Test
  public void shouldKeepOneForThoseWhosePeersAskWhenThereIsNoMore() {
    SlabPool pool = pool(1, LIFE_NS, new Tags(1));
    assertEquals(pool.acquire(new SlabShare(), false, 0), SlabPool.NONE);
    assertEquals(pool.acquire(new SlabShare(), true, 0), 0);
  }

  /** Each time all look for one, the last first, and who has one wants another. */
  @Test
  public void shouldServeThoseWhosePeersAskInTheirOrder() {
    SlabPool pool = pool(32, 0, new Tags(32));
    SlabShare[] shares = shares(1000);
    int[] slots = new int[shares.length];
    for (int i = 0; i < shares.length; i++) {
      slots[i] = pool.acquire(shares[i], true, 0);
      assertEquals(slots[i] == SlabPool.NONE, i >= 32);
    }
    for (int served = 0; served + 32 < shares.length; served++) {
      pool.release(shares[served], slots[served]);
      for (int i = shares.length - 1; i > served; i--) {
        int slot = pool.acquire(shares[i], true, 0);
        assertEquals(slot != SlabPool.NONE, i == served + 32, "channel " + i);
        slots[i] = slot == SlabPool.NONE ? slots[i] : slot;
      }
    }
  }

  @Test
  public void shouldPassOverThoseThatAreGone() {
    SlabPool pool = pool(1, 0, new Tags(1));
    SlabShare[] shares = shares(4);
    for (SlabShare share : shares) {
      pool.acquire(share, true, 0);
    }
    pool.forget(shares[2]); // as it waits
    pool.release(shares[0], 0);
    pool.forget(shares[1]); // as it is called
    assertEquals(pool.acquire(shares[3], true, 0), 0);
  }

  private static SlabShare[] shares(int count) {
    SlabShare[] shares = new SlabShare[count];
    Arrays.setAll(shares, i -> new SlabShare());
    return shares;
  }

  /** One after the other asks for a slot, until he has it. */
  private static final class Customers {
    private final SlabPool pool;
    private SlabShare next = new SlabShare();

    Customers(SlabPool pool) {
      this.pool = pool;
    }

    int acquire(long nowNs) {
      int slot = pool.acquire(next, true, nowNs);
      if (slot != SlabPool.NONE) {
        next = new SlabShare();
      }
      return slot;
    }

    void release(int slot) {
      pool.release(new SlabShare(), slot);
    }
  }

  @Test
  public void shouldLetNoWriteOfAnEarlierLifeLandInAMillionMessages() {
    long seed = Long.getLong("tombolo.seed", 19);
    System.out.println("seed " + seed);
    Play careful = new Play(seed, LIFE_NS);
    careful.run(1_000_000);
    System.out.printf(
        "8-bit tags, 1000000 lives: %d late writes, %d in other lives; %d waits for keys%n",
        careful.lateWrites, careful.wrong, careful.pool.waitsForKeys());
    assertTrue(careful.lateWrites > 1000);
    assertEquals(careful.wrong, 0);
    Play careless = new Play(seed, 0);
    careless.run(1_000_000);
    assertTrue(careless.wrong > 0, "the same without a rest finds nothing");
  }

  private static SlabPool pool(int slots, long packetLifeNs, SlabFence fence) {
    return new SlabPool(slots, 1, 0, 0, packetLifeNs, fence);
  }

  /** Keys as providers make them: each renewal of a slot steps a tag. */
  private static final class Tags implements SlabFence {
    private final int[] tags;
    private final int count;

    Tags(int slots) {
      this(slots, TAGS);
    }

    Tags(int slots, int count) {
      tags = new int[slots];
      this.count = count;
    }

    @Override
    public long renew(int slot) {
      tags[slot] = (tags[slot] + 1) % count;
      return tags[slot];
    }
  }

  private record Late(long atNs, int slot, int key, int generation) implements Comparable<Late> {
    @Override
    public int compareTo(Late other) {
      return Long.compare(atNs, other.atNs);
    }
  }

  /** Messages through a slab, some of whose writes come as late as a packet may live. */
  private static final class Play {
    private static final int SLOTS = 4;

    private final SplittableRandom random;
    private final Tags fence = new Tags(SLOTS);
    private final SlabPool pool;
    private final Customers customers;
    private final boolean[] handedOut = new boolean[SLOTS];
    private final ArrayDeque<Integer> held = new ArrayDeque<>();
    private final PriorityQueue<Late> late = new PriorityQueue<>();
    private long nowNs;
    private long lateWrites;
    private long wrong;

    Play(long seed, long packetLifeNs) {
      random = new SplittableRandom(seed);
      pool = pool(SLOTS, packetLifeNs, fence);
      customers = new Customers(pool);
      Arrays.fill(handedOut, false);
    }

    void run(int messages) {
      int lives = 0;
      while (lives < messages) {
        nowNs += random.nextLong(50_000);
        deliver();
        if (held.size() == SLOTS || random.nextBoolean()) {
          end();
        }
        int slot = customers.acquire(nowNs);
        if (slot == SlabPool.NONE) {
          nowNs += 1_000_000;
          end();
        } else {
          handedOut[slot] = true;
          held.add(slot);
          lives++;
        }
      }
    }

    /** A life ends, of which a write may still be under way. */
    private void end() {
      if (held.isEmpty()) {
        return;
      }
      int slot = held.remove();
      if (random.nextInt(64) == 0) {
        long atNs = nowNs + random.nextLong(LIFE_NS);
        late.add(new Late(atNs, slot, pool.remoteKey(slot), pool.generation(slot)));
      }
      handedOut[slot] = false;
      customers.release(slot);
      deliver();
    }

    private void deliver() {
      while (!late.isEmpty() && late.peek().atNs <= nowNs) {
        Late write = late.remove();
        boolean lands = fence.tags[write.slot] == write.key;
        lateWrites++;
        if (lands && handedOut[write.slot] && pool.generation(write.slot) != write.generation) {
          wrong++;
        }
      }
    }
  }
}
