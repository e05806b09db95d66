// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import java.nio.ByteOrder;
import org.testng.annotations.Test;

public class NativeMemoryTest {

  @Test
  public void shouldStartZeroedAndKeepWhatIsWritten() {
    try (NativeMemory memory = NativeMemory.allocate(10_000)) {
      assertEquals(memory.get(0, 10_000), new byte[10_000]);
      memory.put(9_997, new byte[] {9, 1, 2, 3, 9}, 1, 3);
      assertEquals(memory.get(9_996, 4), new byte[] {0, 1, 2, 3});
      assertEquals(memory.view(0, 8).order(), ByteOrder.LITTLE_ENDIAN);
    }
  }

  @Test
  public void shouldRefuseWhatLiesOutside() {
    try (NativeMemory memory = NativeMemory.allocate(64)) {
      assertThrows(IndexOutOfBoundsException.class, () -> memory.address(60, 5));
      assertThrows(IndexOutOfBoundsException.class, () -> memory.address(-1, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> memory.address(1, Long.MAX_VALUE));
      assertThrows(IndexOutOfBoundsException.class, () -> memory.view(64, 1));
      assertThrows(IllegalArgumentException.class, () -> memory.cell(4));
      assertEquals(memory.view(64, 0).remaining(), 0);
    }
    assertThrows(IllegalArgumentException.class, () -> NativeMemory.allocate(0));
  }

  @Test
  public void shouldBeAnErrorToUseAfterCloseAndHarmlessToCloseTwice() {
    NativeMemory memory = NativeMemory.allocate(64);
    memory.close();
    memory.close();
    assertThrows(IllegalStateException.class, memory::address);
    assertThrows(IllegalStateException.class, () -> memory.get(0, 1));
  }

  @Test
  public void shouldShareItsWordsThroughCells() {
    try (NativeMemory memory = NativeMemory.allocate(64)) {
      LongCell cell = memory.cell(8);
      cell.setRelease(0x0102030405060708L);
      assertEquals(cell.getAcquire(), 0x0102030405060708L);
      assertEquals(memory.get(8, 2), new byte[] {8, 7});
      assertEquals(cell.address(), memory.address() + 8);
    }
  }

  @Test
  public void shouldCopyBetweenBlocks() {
    try (NativeMemory from = NativeMemory.allocate(64);
        NativeMemory to = NativeMemory.allocate(64)) {
      from.put(0, new byte[] {1, 2, 3}, 0, 3);
      NativeMemory.copy(to.address(10, 3), from.address(0, 3), 3);
      assertEquals(to.get(9, 5), new byte[] {0, 1, 2, 3, 0});
    }
  }
}
