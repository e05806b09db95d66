// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.device.HostDevice;
import org.testng.annotations.Test;

/** What becomes of a task's memory of one kind when there is none of another. */
public final class TaskMemoryPoolTest {
  private static final long SOME = 1 << 20;

  /** More than addresses reach. */
  private static final long TOO_MUCH = 1L << 60;

  private final DeviceAdaptor device = new HostDevice();

  /** Where nothing is reserved for, a pool makes as many blocks as were wanted at once before. */
  private static void assertNothingIsReserved(TaskMemoryPool pool, long scratchBytes) {
    pool.reserve(SOME, scratchBytes, 0);
    TaskMemory first = pool.lend(SOME, scratchBytes, 0);
    assertTrue(pool.canLend(SOME, scratchBytes, 0), "a second block was made");
    pool.giveBack(first);
  }

  private static void useTwoAtOnce(TaskMemoryPool pool, long scratchBytes) {
    pool.reserve(SOME, scratchBytes, 0);
    pool.reserve(SOME, scratchBytes, 0);
    pool.cancel(SOME, scratchBytes, 0);
    pool.cancel(SOME, scratchBytes, 0);
  }

  @Test
  public void shouldReserveNothingWhenOneOfThemCannotBeHad() {
    try (TaskMemoryPool pool = new TaskMemoryPool(device, 4)) {
      useTwoAtOnce(pool, 0);
      expectThrows(RuntimeException.class, () -> pool.reserve(SOME, TOO_MUCH, 0));
      assertNothingIsReserved(pool, 0);
    }
    try (TaskMemoryPool pool = new TaskMemoryPool(device, 4)) {
      useTwoAtOnce(pool, SOME);
      expectThrows(RuntimeException.class, () -> pool.reserve(SOME, SOME, TOO_MUCH));
      assertNothingIsReserved(pool, SOME);
    }
  }

  @Test
  public void shouldLendNothingWhenOneOfThemCannotBeHad() {
    try (TaskMemoryPool pool = new TaskMemoryPool(device, 4)) {
      useTwoAtOnce(pool, SOME);
      expectThrows(RuntimeException.class, () -> pool.take(SOME, SOME, TOO_MUCH));
      assertNothingIsReserved(pool, SOME);
    }
  }
}
