// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.errors.ResourceException;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

/** Who allocates, and when; that the memory can be used is for the jobs to show. */
public final class BlockPoolTest {
  private static final long SMALL = BlockPool.SMALLEST_BYTES;
  private static final long LARGE = 1 << 20;

  private final DeviceAdaptor device = new HostDevice();
  private final List<Long> allocated = new ArrayList<>();
  private long limit = Long.MAX_VALUE;
  private int most = Integer.MAX_VALUE;

  private BlockPool<Scratch> pool(int batch, int mostKept) {
    allocated.clear();
    limit = Long.MAX_VALUE;
    most = Integer.MAX_VALUE;
    return new BlockPool<>(this::allocate, Scratch.NONE, batch, mostKept);
  }

  private Scratch allocate(long sizeBytes) {
    if (sizeBytes > limit || allocated.size() >= most) {
      throw new ResourceException("no memory of " + sizeBytes + " bytes");
    }
    allocated.add(sizeBytes);
    return Scratch.of(device, sizeBytes);
  }

  @Test
  public void shouldAllocateWhileReservingAndNeverWhileLending() {
    try (BlockPool<Scratch> pool = pool(1, 4)) {
      pool.reserve(LARGE);
      pool.reserve(LARGE);
      assertEquals(allocated, List.of(SMALL, LARGE));
      Scratch lent = pool.lend(LARGE);
      assertFalse(pool.canLend(LARGE));
      pool.giveBack(lent);
      assertTrue(pool.canLend(LARGE));
      assertEquals(allocated, List.of(SMALL, LARGE));
    }
  }

  @Test
  public void shouldHaveABlockForEachWhenAsManyComeAgain() {
    try (BlockPool<Scratch> pool = pool(1, 2)) {
      for (int i = 0; i < 3; i++) {
        pool.reserve(LARGE);
      }
      for (int i = 0; i < 3; i++) {
        pool.giveBack(pool.lend(LARGE));
      }
      pool.reserve(LARGE);
      assertEquals(allocated, List.of(SMALL, LARGE, LARGE));
    }
  }

  @Test
  public void shouldLendTheSmallestThatSuffices() {
    try (BlockPool<Scratch> pool = pool(1, 4)) {
      pool.reserve(LARGE);
      pool.reserve(1);
      assertEquals(pool.lend(1).sizeBytes(), SMALL);
      assertEquals(pool.lend(LARGE).sizeBytes(), LARGE);
    }
  }

  @Test
  public void shouldFreeTheSmallestWhenSomebodyAllocatesAnyway() {
    try (BlockPool<Scratch> pool = pool(1, 1)) {
      Scratch first = pool.lend(1);
      pool.giveBack(first);
      pool.reserve(LARGE);
      pool.giveBack(pool.lend(LARGE));
      assertEquals(first.memory().orElseThrow().address(), first.address(), "freed by the agent");
      pool.reserve(2 * LARGE);
      assertThrows(IllegalStateException.class, () -> first.memory().orElseThrow().address());
      assertTrue(pool.canLend(2 * LARGE));
    }
  }

  @Test
  public void shouldFreeOnlyWhatNoTaskHasAfterAFailure() {
    try (BlockPool<Scratch> pool = pool(1, 4)) {
      pool.reserve(LARGE);
      Scratch idle = pool.lend(1);
      pool.giveBack(idle);
      Scratch lent = pool.lend(LARGE);
      device.taint();
      assertEquals(pool.closeUnlent(), LARGE);
      assertEquals(lent.memory().orElseThrow().address(), lent.address(), "still written perhaps");
      assertThrows(IllegalStateException.class, () -> idle.memory().orElseThrow().address());
      assertFalse(pool.canLend(1), "freed");
      assertEquals(pool.closeUnlent(), LARGE);
    }
  }

  @Test
  public void shouldBeUsableAfterTheDeviceWasExhausted() {
    try (BlockPool<Scratch> pool = pool(1, 4)) {
      limit = LARGE;
      assertThrows(ResourceException.class, () -> pool.reserve(2 * LARGE));
      pool.reserve(LARGE);
      assertEquals(pool.lend(LARGE).sizeBytes(), LARGE);
    }
  }

  @Test
  public void shouldMakeABatchWhereCallersTakeAtOnce() {
    try (BlockPool<Scratch> pool = pool(2, Integer.MAX_VALUE)) {
      Scratch first = pool.take(LARGE);
      assertEquals(allocated, List.of(SMALL, SMALL, LARGE, LARGE));
      Scratch second = pool.take(LARGE);
      assertEquals(allocated.size(), 4);
      assertFalse(first.address() == second.address());
    }
  }

  @Test
  public void shouldTakeOneWhereThereIsNoMemoryForABatch() {
    try (BlockPool<Scratch> pool = pool(4, Integer.MAX_VALUE)) {
      most = allocated.size() + 1;
      Scratch first = pool.take(LARGE);
      assertEquals(first.sizeBytes(), LARGE);
      assertThrows(ResourceException.class, () -> pool.take(LARGE));
      pool.giveBack(first);
      assertEquals(pool.take(LARGE).address(), first.address());
    }
  }

  @Test
  public void shouldHaveFewSizes() {
    assertEquals(BlockPool.rounded(1), SMALL);
    assertEquals(BlockPool.rounded(LARGE), LARGE);
    assertEquals(BlockPool.rounded(LARGE + 1), LARGE + LARGE / 4);
  }
}
