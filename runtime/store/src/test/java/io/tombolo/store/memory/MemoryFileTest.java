// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.NativeMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.testng.annotations.Test;

public class MemoryFileTest {
  private static final int SIZE = 1 << 16;

  @Test
  public void shouldShareItsBytes() {
    try (MemoryFile file = MemoryFile.create(SIZE);
        NativeMemory writable = MemoryFile.map(file.name(), true).orElseThrow();
        NativeMemory readable = MemoryFile.map(file.name(), false).orElseThrow()) {
      writable.view(5, 1).put(0, (byte) 42);
      assertEquals(file.memory().view(5, 1).get(0), 42);
      assertEquals(readable.view(5, 1).get(0), 42);
    }
  }

  @Test
  public void shouldMapNothingButTheFileThatIsMeant() throws IOException {
    try (MemoryFile file = MemoryFile.create(SIZE);
        MemoryFile other = MemoryFile.create(SIZE)) {
      MemoryFileName name = file.name();
      int another = other.name().descriptor();
      assertEmpty(new MemoryFileName(name.pid(), another, name.inode(), SIZE));
      assertEmpty(new MemoryFileName(name.pid(), name.descriptor(), name.inode(), SIZE + 1));
      assertEmpty(new MemoryFileName(name.pid(), name.descriptor(), name.inode() + 1, SIZE));
      assertEmpty(new MemoryFileName(-1, name.descriptor(), name.inode(), SIZE));
      assertEmpty(new MemoryFileName(name.pid(), -1, name.inode(), SIZE));
      assertEmpty(new MemoryFileName(Long.MAX_VALUE, 1_000_000, name.inode(), SIZE));
    }
  }

  @Test
  public void shouldNotMapAFileThatCouldShrink() throws IOException {
    Path path = Files.createTempFile("tombolo", ".bytes");
    try (FileChannel ignored = FileChannel.open(path, StandardOpenOption.WRITE)) {
      Files.write(path, new byte[SIZE]);
      long inode = (Long) Files.getAttribute(path, "unix:ino");
      long pid = ProcessHandle.current().pid();
      for (int number = 0; number < 1 << 10; number++) {
        assertEmpty(new MemoryFileName(pid, number, inode, SIZE));
      }
    } finally {
      Files.delete(path);
    }
  }

  private static void assertEmpty(MemoryFileName name) {
    Optional<NativeMemory> mapped = MemoryFile.map(name, true);
    assertTrue(mapped.isEmpty(), name.toString());
  }
}
