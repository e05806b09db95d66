// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Availability;
import io.tombolo.base.LongCell;
import io.tombolo.base.MemoryExport;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * One device of one vendor, through that vendor's runtime.
 *
 * <p>Thread-safe: every call makes the device current on the calling thread, and what was current
 * there before when it returns, as far as the runtime tells. Calls named {@code …Async} only queue
 * work on a stream and return at once; nothing here synchronises the device. Addresses are 64-bit
 * device or host addresses exactly as the runtime gives them; host code must not dereference device
 * addresses. Sizes are in bytes. Failures are {@link io.tombolo.base.errors.VendorException}s with
 * the raw code.
 */
public interface DeviceAdaptor extends AutoCloseable {

  /** What the runtime says of the device. */
  DeviceProperties properties();

  /**
   * Whether somebody in this process had opened the device before: then its context does not have
   * what the environment said later. False where the runtime does not tell.
   */
  boolean wasOpen();

  /**
   * Whether nobody in this process has warned of how the device was opened; from now on somebody
   * has. However often it is opened, who warns asks first, so that it is said once.
   */
  boolean takeFirstWarning();

  /**
   * Makes the device current on the calling thread, for vendor libraries that are called directly.
   * Returns what {@link #unbindThread} is to be given: 0 where nothing changes.
   */
  long bindThread();

  /** Makes current what was so before {@link #bindThread} returned {@code before}. */
  void unbindThread(long before);

  /**
   * What of the optional things the runtime has here. The methods for others are {@link
   * io.tombolo.base.errors.UnsupportedException}s that name the runtime; nothing is called then.
   */
  ImmutableSet<DeviceFeature> features();

  /** Allocates device memory; contents are undefined. Closing it frees it. */
  DeviceMemory allocate(long sizeBytes);

  /**
   * The memory of {@link #allocate} that {@code sizeBytes} from {@code address} on lie in. Of other
   * memory nobody here would learn that it is freed.
   */
  Optional<DeviceMemory> allocationAt(long address, long sizeBytes);

  /** Allocates host memory that the device can read and write. Closing it frees it. */
  DeviceMemory allocatePinned(long sizeBytes);

  /**
   * As {@link #allocate}, for a pool that knows in which blocks work may be under way, and frees no
   * other ones: where the device {@linkplain #freesAfterFailures allows it}, a {@link #taint} does
   * not keep it.
   */
  default DeviceMemory allocatePooled(long sizeBytes) {
    return allocate(sizeBytes);
  }

  /** As {@link #allocatePinned}, for such a pool. */
  default DeviceMemory allocatePinnedPooled(long sizeBytes) {
    return allocatePinned(sizeBytes);
  }

  /**
   * Allocates memory that host and device read and write at one address ({@link
   * DeviceFeature#MANAGED_MEMORY}); contents are undefined. Copies and fills take it for device
   * memory. The host must leave it alone while work is under way on any stream of the device: not
   * all devices allow both at once. No fabric reaches it. Closing it frees it.
   */
  DeviceMemory allocateManaged(long sizeBytes);

  /**
   * Makes existing host memory reachable for the device until the result is closed; the memory
   * stays the caller's. Where it does not begin with a page, some runtimes refuse (AscendCL).
   */
  DeviceMemory register(long hostAddress, long sizeBytes);

  /**
   * Whether the device's engines read and write these {@code sizeBytes} of host memory: they lie in
   * memory that {@link #allocatePinned} or {@link #register} gave, and that is not closed.
   */
  boolean reaches(long hostAddress, long sizeBytes);

  /** A new stream, which does not synchronise with any other. */
  Stream newStream();

  /**
   * As {@link #newStream}, of the greatest priority where the runtime has priorities. Streams of
   * one priority share hardware queues, in which one that waits holds up the others.
   */
  default Stream newUrgentStream() {
    return newStream();
  }

  /**
   * The caller's own stream, by the vendor's handle; closing the result leaves the stream alone.
   */
  Stream streamOf(long nativeHandle);

  /**
   * Why no work for this device can be queued on {@code stream}: it is closed, or not one of this
   * device; empty if it can. The runtime is asked at the first use of a caller's own stream, where
   * it has a call that tells.
   */
  Optional<String> objection(Stream stream);

  /**
   * Why no work for this device can use the memory at {@code address}, which the device did not
   * give: it is another device's, the host's, or nobody's; empty if it can, or if the runtime has
   * no call that tells.
   */
  default Optional<String> objection(long address) {
    return Optional.empty();
  }

  /** A new event, for the host to ask (no timing). */
  Event newEvent();

  /**
   * As {@link #newEvent}, for streams to wait for, too. A runtime may have so many of these at a
   * time, and recording one may wait for another: no call for the thread that a held stream waits
   * for.
   */
  default Event newAwaitedEvent() {
    return newEvent();
  }

  /**
   * Queues a copy; {@code direction} must say truly where both addresses live. Host memory must be
   * pinned.
   */
  void copyAsync(
      CopyDirection direction, long destination, long source, long sizeBytes, Stream stream);

  /**
   * Queues filling {@code sizeBytes} of device memory with {@code value}; the first fill with a
   * value may allocate, so it is no call for the thread that a held stream waits for.
   */
  void fillAsync(long destination, byte value, long sizeBytes, Stream stream);

  /** Whether it is the host itself: its memory is the host's, which any code here may use. */
  default boolean isHost() {
    return false;
  }

  /**
   * Whether the host has to keep the order: streams of this device can neither wait for words of
   * memory nor write them, so {@link #waitValueAsync} and {@link #writeValueAsync} are {@link
   * io.tombolo.base.errors.UnsupportedException}s. Only an {@link Event} tells where such a stream
   * is, and nothing holds it back but other streams.
   */
  boolean isHostOrdered();

  /**
   * Makes {@code count} words of 64 bits, all 0, that streams of this device can wait for and
   * write, and the host as well. They stay until the process ends: a stream that is late may still
   * wait for one. On runtimes that ask for special memory no other will do; an {@link
   * io.tombolo.base.errors.UnsupportedException} where the device {@linkplain #isHostOrdered has
   * none}. May wait for all work of the device. Of many words, those that are used at the same time
   * are to be next to each other in the list; each is made when it is asked for.
   */
  List<LongCell> newWords(int count);

  /** Whether {@link #newWords} are scarce: each is an allocation of its own. */
  default boolean hasScarceWords() {
    return false;
  }

  /**
   * Queues a wait of the stream until the 64-bit word at {@code address}, one of {@link #newWords},
   * is at least {@code value}. Where the runtime has no such call, more than one wait and one write
   * under way for each stream of ours make events, which may wait for streams that are held.
   */
  void waitValueAsync(Stream stream, long address, long value);

  /**
   * Queues a write of {@code value} to the 64-bit word of pinned memory, or of {@link #newWords},
   * at {@code address}, after all earlier work.
   */
  void writeValueAsync(Stream stream, long address, long value);

  /**
   * Whether {@link #flushRemoteWrites} does what it says. Where the runtime has no call for that,
   * NICs must not write to the device's memory: it might read what was there before.
   */
  boolean flushesRemoteWrites();

  /** Makes remote writes that have landed visible to the device's next read. */
  void flushRemoteWrites();

  /**
   * Whether the device reduces: it runs kernels, and here is a compiler for them. Where it does
   * not, reductions are the host's, in pinned memory.
   */
  Availability reducing();

  /**
   * Compiles the reductions for this device, which takes about a second; an {@link
   * io.tombolo.base.errors.UnavailableException} where {@link #reducing} says that it does not.
   */
  DeviceReducer newReducer();

  /**
   * Compiles the checksum for this device; empty where {@link #reducing} says that it runs no
   * kernels. May wait for all work of the device.
   *
   * @throws io.tombolo.base.errors.VendorException if the compiler or the driver refuses it
   */
  Optional<DeviceChecksummer> newChecksummer();

  /** How a fabric may reach {@code memory}. */
  MemoryExport export(DeviceMemory memory);

  /**
   * Whether this device can read and write the memory of device {@code ordinal} of the same runtime
   * ({@link DeviceFeature#PEER_ACCESS}); its own it can.
   */
  boolean canAccessPeer(int ordinal);

  /**
   * Lets this device read and write the memory of device {@code ordinal} of the same runtime, until
   * this one is closed ({@link DeviceFeature#PEER_ACCESS}). The other direction is the other
   * device's call. Enabled already is fine; an {@link io.tombolo.base.errors.UnsupportedException}
   * where {@link #canAccessPeer} says that it cannot.
   */
  void enablePeerAccess(int ordinal);

  /** A handle by which another process of the same vendor can open {@code memory}. */
  byte[] ipcHandle(DeviceMemory memory);

  /**
   * Opens memory of another process; refused with an error where the handle is another vendor's.
   */
  DeviceMemory openIpc(byte[] handle);

  /**
   * Work that has failed may still touch this device's memory: from now on nothing of it is freed,
   * whatever is closed, until {@link #endTaint}. What there is now is never freed.
   */
  void taint();

  /**
   * The work that one {@link #taint} was about has been stopped: what has been made since then, and
   * is made from now on, can be freed again.
   */
  void endTaint();

  /**
   * Whether memory and streams that no work has can be given back after a failure. By default they
   * cannot: to give them back may wait for work that has failed.
   */
  default boolean freesAfterFailures() {
    return false;
  }

  /** Whether {@link #taint} was called. */
  boolean isTainted();

  /**
   * Tells of memory that is made now whether it must be left behind when it is closed; host memory
   * that is {@linkplain #register registered} must then stay, too. Thread-safe.
   */
  BooleanSupplier leavesBehind();

  /** Gives the device back; everything made from it must be closed before. */
  @Override
  void close();
}
