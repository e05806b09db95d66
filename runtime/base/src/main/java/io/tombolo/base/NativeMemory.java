// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkPositionIndexes;

import io.tombolo.base.errors.ResourceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A block of host memory outside the Java heap, with 64-bit size: the only door to off-heap memory.
 *
 * <p>Thread-safe in the sense of plain memory: concurrent access to the same bytes is the caller's
 * to order, for which {@link LongCell} exists. After {@link #close} every method throws {@link
 * IllegalStateException}; views taken earlier must not be used any more. Whoever creates a block
 * closes it.
 */
public final class NativeMemory implements AutoCloseable {
  static {
    NativeLibrary.load(NativeMemory.class, "tombolo_base");
  }

  private final long address;
  private final long sizeBytes;
  private final boolean borrowed;
  private boolean closed;

  private NativeMemory(long address, long sizeBytes) {
    this(address, sizeBytes, false);
  }

  private NativeMemory(long address, long sizeBytes, boolean borrowed) {
    this.address = address;
    this.sizeBytes = sizeBytes;
    this.borrowed = borrowed;
  }

  /** A new zeroed block, page-aligned; a {@link ResourceException} if there is no memory. */
  public static NativeMemory allocate(long sizeBytes) {
    checkArgument(sizeBytes > 0, "a block needs at least one byte, not %s", sizeBytes);
    return new NativeMemory(mapped(allocate0(sizeBytes), sizeBytes), sizeBytes);
  }

  /**
   * A shared mapping of {@code sizeBytes} of the file behind descriptor {@code fd}, which stays the
   * caller's; closing the block unmaps it.
   */
  public static NativeMemory map(int fd, long sizeBytes) {
    checkArgument(sizeBytes > 0, "a block needs at least one byte, not %s", sizeBytes);
    return new NativeMemory(mapped(map0(fd, sizeBytes), sizeBytes), sizeBytes);
  }

  /**
   * As {@link #map}, for reading alone: whoever writes to the block dies of a segmentation fault.
   */
  public static NativeMemory mapReadOnly(int fd, long sizeBytes) {
    checkArgument(sizeBytes > 0, "a block needs at least one byte, not %s", sizeBytes);
    return new NativeMemory(mapped(mapReadOnly0(fd, sizeBytes), sizeBytes), sizeBytes);
  }

  /**
   * Somebody else's {@code sizeBytes} of host memory at {@code address}, who keeps them valid for
   * as long as the block is used; closing it frees nothing. May be empty, at any address.
   */
  public static NativeMemory borrowed(long address, long sizeBytes) {
    checkArgument(
        sizeBytes >= 0 && (address != 0 || sizeBytes == 0),
        "%s bytes at address %s are no memory",
        sizeBytes,
        address);
    return new NativeMemory(address, sizeBytes, true);
  }

  /**
   * Copies {@code sizeBytes} between host addresses; both ranges must be valid and must not
   * overlap.
   */
  public static void copy(long destination, long source, long sizeBytes) {
    copy0(destination, source, sizeBytes);
  }

  /** Fills {@code sizeBytes} from host address {@code destination} with {@code value}. */
  public static void fill(long destination, byte value, long sizeBytes) {
    fill0(destination, value, sizeBytes);
  }

  /**
   * A little-endian view of {@code length} bytes of host memory at {@code address}, which the
   * caller keeps valid for as long as the view is used.
   */
  public static ByteBuffer viewOf(long address, int length) {
    return view0(address, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The 64-bit cell at host address {@code address}, a multiple of 8 in memory that the caller
   * keeps mapped for as long as the cell is used.
   */
  public static LongCell cellAt(long address) {
    checkArgument(
        address != 0 && address % Long.BYTES == 0,
        "a cell's address must be a multiple of 8: %s",
        address);
    return new LongCell(view0(address, Long.BYTES).order(ByteOrder.LITTLE_ENDIAN), address);
  }

  /**
   * Asks the system to put huge pages behind the block, where it has some: for large blocks that
   * are used whole, as what is touched once takes megabytes.
   */
  public void preferHugePages() {
    ensureOpen();
    preferHugePages0(address, sizeBytes);
  }

  /** The address of the first byte. */
  public long address() {
    ensureOpen();
    return address;
  }

  /**
   * The address of the byte at {@code offset}, after checking that {@code length} bytes from there
   * are inside.
   */
  public long address(long offset, long length) {
    ensureOpen();
    if (offset < 0 || length < 0 || offset > sizeBytes - length) {
      throw new IndexOutOfBoundsException(
          "[" + offset + ", +" + length + ") is outside a block of " + sizeBytes + " bytes");
    }
    return address + offset;
  }

  /** Bytes in this block. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /**
   * A little-endian view of {@code length} bytes from {@code offset}; invalid once this block is
   * closed.
   */
  public ByteBuffer view(long offset, int length) {
    long from = address(offset, length);
    return length == 0
        ? ByteBuffer.allocate(0)
        : view0(from, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The 64-bit cell at {@code offset} (a multiple of 8), for ordered access between threads and
   * processes.
   */
  public LongCell cell(long offset) {
    checkArgument(offset % Long.BYTES == 0, "a cell's offset must be a multiple of 8: %s", offset);
    return new LongCell(view(offset, Long.BYTES), address(offset, Long.BYTES));
  }

  /**
   * Copies {@code length} bytes of {@code bytes} from {@code from} to {@code offset} of this block.
   */
  public void put(long offset, byte[] bytes, int from, int length) {
    checkPositionIndexes(from, from + length, bytes.length);
    view(offset, length).put(bytes, from, length);
  }

  /** Copies {@code length} bytes from {@code offset} of this block into a new array. */
  public byte[] get(long offset, int length) {
    byte[] bytes = new byte[length];
    view(offset, length).get(bytes);
    return bytes;
  }

  /** Frees the block; harmless the second time. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      if (!borrowed) {
        unmap0(address, sizeBytes);
      }
    }
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("this block of " + sizeBytes + " bytes is closed");
    }
  }

  private static long mapped(long addressOrErrno, long sizeBytes) {
    if (addressOrErrno < 0) {
      throw new ResourceException(
          "cannot map "
              + sizeBytes
              + " bytes of host memory: errno "
              + -addressOrErrno
              + "; free some, or ask for less");
    }
    return addressOrErrno;
  }

  private static native long allocate0(long sizeBytes);

  private static native void preferHugePages0(long address, long sizeBytes);

  private static native long map0(int fd, long sizeBytes);

  private static native long mapReadOnly0(int fd, long sizeBytes);

  /** Closes a descriptor that another library has handed over. */
  static void closeDescriptor(int fd) {
    close0(fd);
  }

  private static native void close0(int fd);

  private static native void unmap0(long address, long sizeBytes);

  private static native void copy0(long destination, long source, long sizeBytes);

  private static native void fill0(long destination, byte value, long sizeBytes);

  private static native ByteBuffer view0(long address, long sizeBytes);
}
