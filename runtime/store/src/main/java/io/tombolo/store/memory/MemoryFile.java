// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import io.tombolo.base.NativeLibrary;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.ResourceException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Host memory that other processes of this user can map, for as long as this process has it open.
 * It has no name, and is gone with the last process that maps it. Pages take memory once they are
 * written.
 */
public final class MemoryFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryFile.class);

  static {
    NativeLibrary.load(MemoryFile.class, "tombolo_store");
  }

  private final int fd;
  private final NativeMemory memory;
  private final MemoryFileName name;
  private boolean closed;

  private MemoryFile(int fd, NativeMemory memory, MemoryFileName name) {
    this.fd = fd;
    this.memory = memory;
    this.name = name;
  }

  /** A new file of zeros; a {@link ResourceException} if this process may have no more. */
  public static MemoryFile create(long sizeBytes) {
    int fd = (int) check("create a memory file of " + sizeBytes + " bytes", create0(sizeBytes));
    try {
      long inode = check("look at a memory file", inode0(fd));
      MemoryFileName name = new MemoryFileName(ProcessHandle.current().pid(), fd, inode, sizeBytes);
      return new MemoryFile(fd, NativeMemory.map(fd, sizeBytes), name);
    } catch (ResourceException e) {
      check("close a memory file", close0(fd));
      throw e;
    }
  }

  /**
   * Another process's file, mapped; empty if it cannot be had from here, as with another user's or
   * another container's. Then the reason is in the log.
   *
   * @param writable whether it may be written; else who does so dies
   */
  public static Optional<NativeMemory> map(MemoryFileName name, boolean writable) {
    int fd = open0(name.pid(), name.descriptor(), name.inode(), name.sizeBytes(), writable);
    if (fd < 0) {
      LOG.debug("{} cannot be mapped here: errno {}", name, -fd);
      return Optional.empty();
    }
    try {
      return Optional.of(
          writable
              ? NativeMemory.map(fd, name.sizeBytes())
              : NativeMemory.mapReadOnly(fd, name.sizeBytes()));
    } finally {
      check("close a memory file", close0(fd));
    }
  }

  /** What this process has mapped of it: all of it. */
  public NativeMemory memory() {
    return memory;
  }

  /** How others find it. */
  public MemoryFileName name() {
    return name;
  }

  /** Unmaps it here; those who have mapped it keep it. Harmless the second time. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      memory.close();
      check("close a memory file", close0(fd));
    }
  }

  private static long check(String what, long result) {
    if (result == -OpenFiles.EMFILE) {
      throw OpenFiles.noneLeft("cannot " + what);
    }
    if (result < 0) {
      throw new ResourceException("cannot " + what + ": errno " + -result);
    }
    return result;
  }

  private static native int create0(long sizeBytes);

  private static native long inode0(int fd);

  private static native int open0(
      long pid, int descriptor, long inode, long sizeBytes, boolean writable);

  private static native int close0(int fd);
}
