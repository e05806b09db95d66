// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.Test;

public class DeviceBufferTest {
  private final HostDevice device = new HostDevice();

  @Test
  public void shouldHoldAllWholeElementsOfAMemory() {
    try (DeviceMemory memory = device.allocate(30)) {
      DeviceBuffer buffer = DeviceBuffer.of(device, memory, DataType.F64);
      assertEquals(buffer.address(), memory.address());
      assertEquals(buffer.count(), 3);
      assertEquals(buffer.sizeBytes(), 24);
    }
  }

  @Test
  public void shouldSliceByElements() {
    try (DeviceMemory memory = device.allocate(64)) {
      DeviceBuffer slice = DeviceBuffer.of(device, memory, DataType.F32).slice(4, 12);
      assertEquals(slice.address(), memory.address() + 16);
      assertEquals(slice.count(), 12);
      assertEquals(slice.owner(), Optional.of(memory));
    }
  }

  @Test
  public void shouldRefuseASliceThatIsNotAllInside() {
    try (DeviceMemory memory = device.allocate(64)) {
      DeviceBuffer buffer = DeviceBuffer.of(device, memory, DataType.F32);
      expectThrows(UsageException.class, () -> buffer.slice(5, 12));
      expectThrows(UsageException.class, () -> buffer.slice(-1, 2));
      expectThrows(UsageException.class, () -> buffer.slice(2, -1));
      expectThrows(UsageException.class, () -> buffer.slice(Long.MAX_VALUE, 2));
      assertEquals(buffer.slice(16, 0).count(), 0);
    }
  }

  /** Its owner would have room for these, or is not known. */
  @Test
  public void shouldRefuseASliceThatIsOutsideASlice() {
    try (DeviceMemory memory = device.allocate(64)) {
      DeviceBuffer part = DeviceBuffer.of(device, memory, DataType.F32).slice(4, 4);
      DeviceBuffer foreign = DeviceBuffer.foreign(device, 0x1000, 4, DataType.F32);
      for (DeviceBuffer buffer : List.of(part, foreign)) {
        expectThrows(UsageException.class, () -> buffer.slice(1, 4));
        expectThrows(UsageException.class, () -> buffer.slice(-1, 2));
        expectThrows(UsageException.class, () -> buffer.slice(0, 5));
        assertEquals(buffer.slice(1, 3).count(), 3);
      }
    }
  }

  @Test
  public void shouldRefuseElementsOutsideTheirOwner() {
    try (DeviceMemory memory = device.allocate(64)) {
      expectThrows(
          UsageException.class,
          () ->
              new DeviceBuffer(memory.address() + 8, 8, DataType.F64, device, Optional.of(memory)));
      expectThrows(
          UsageException.class,
          () ->
              new DeviceBuffer(memory.address() - 8, 1, DataType.F64, device, Optional.of(memory)));
    }
  }

  @Test
  public void shouldRefuseCountsThatNoMemoryHas() {
    expectThrows(UsageException.class, () -> DeviceBuffer.foreign(device, 0x1000, -1, DataType.U8));
    UsageException error =
        expectThrows(
            UsageException.class,
            () -> DeviceBuffer.foreign(device, 0x1000, Long.MAX_VALUE / 2, DataType.F64));
    assertEquals(error.getMessage().contains("f64"), true, error.getMessage());
  }
}
