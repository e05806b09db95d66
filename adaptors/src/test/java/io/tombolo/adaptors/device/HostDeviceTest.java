// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static org.testng.Assert.assertEquals;

import io.tombolo.adaptors.DeviceMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testng.SkipException;
import org.testng.annotations.Test;

public class HostDeviceTest {
  private static final long LARGE_BYTES = 4L << 20; // the least that counts as large
  private static final String IN_HUGE_PAGES = " hg"; // among a mapping's VmFlags, as proc(5) says

  /**
   * What the system itself says of the mapping; whether it has such a page to spare is not asked.
   */
  @Test
  public void shouldAskForHugePagesBehindLargeMemoryOnly() throws IOException {
    if (!Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage"))) {
      throw new SkipException("this system has no transparent huge pages");
    }
    HostDevice device = new HostDevice();
    try (DeviceMemory large = device.allocate(LARGE_BYTES);
        DeviceMemory small = device.allocate(LARGE_BYTES - 1);
        DeviceMemory stage = device.allocatePinned(LARGE_BYTES)) {
      assertEquals(flags(large).contains(IN_HUGE_PAGES), true);
      assertEquals(flags(small).contains(IN_HUGE_PAGES), false);
      assertEquals(flags(stage).contains(IN_HUGE_PAGES), false);
    }
  }

  /** The line of flags behind the first line, which has the mapping's first and last address. */
  private static String flags(DeviceMemory memory) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    boolean found = false;
    for (String line : lines) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
        found =
            Long.parseUnsignedLong(range[0], 16) <= memory.address()
                && memory.address() < Long.parseUnsignedLong(range[1], 16);
      } else if (found && line.startsWith("VmFlags:")) {
        return line;
      }
    }
    throw new AssertionError("no mapping has " + Long.toHexString(memory.address()));
  }
}
