// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.Availability;
import io.tombolo.base.CellSpread;
import io.tombolo.base.LongCell;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The host as a device, for ranks without an accelerator: its memory is host memory, so every
 * address may be used by host code, and its streams are {@link HostStream}s. All memory counts as
 * pinned.
 */
public final class HostDevice implements DeviceAdaptor {
  private static final long HUGE_FROM_BYTES = 4L << 20;

  private final Allocations allocations = new Allocations();
  private final Taint taint = new Taint();

  /** The host this process runs on; there is nothing to open. */
  public HostDevice() {}

  @Override
  public DeviceProperties properties() {
    return new DeviceProperties(
        "host CPU, " + Runtime.getRuntime().availableProcessors() + " processors",
        "",
        totalMemoryBytes(),
        "Java " + Runtime.version().feature());
  }

  @Override
  public boolean wasOpen() {
    return false;
  }

  /** There is nothing to warn of: it is not opened. */
  @Override
  public boolean takeFirstWarning() {
    return false;
  }

  /** Nothing to do: every thread runs on the host. */
  @Override
  public long bindThread() {
    return 0;
  }

  @Override
  public void unbindThread(long before) {}

  @Override
  public DeviceMemory allocate(long sizeBytes) {
    return allocations.added(large(sizeBytes, taint.ofNewMemory()));
  }

  @Override
  public DeviceMemory allocatePooled(long sizeBytes) {
    return large(sizeBytes, () -> false);
  }

  @Override
  public DeviceMemory allocatePinnedPooled(long sizeBytes) {
    return large(sizeBytes, () -> false);
  }

  /**
   * Large vectors in huge pages: other ranks of this host reach them through the system, which
   * looks up every page.
   */
  private HostMemory large(long sizeBytes, BooleanSupplier isLeftBehind) {
    NativeMemory block = NativeMemory.allocate(sizeBytes);
    if (sizeBytes >= HUGE_FROM_BYTES) {
      block.preferHugePages();
    }
    return new HostMemory(block, allocations, isLeftBehind);
  }

  @Override
  public ImmutableSet<DeviceFeature> features() {
    return Sets.immutableEnumSet(DeviceFeature.MANAGED_MEMORY, DeviceFeature.HOST_FUNCTIONS);
  }

  @Override
  public DeviceMemory allocateManaged(long sizeBytes) {
    return allocatePinned(sizeBytes);
  }

  @Override
  public DeviceMemory allocatePinned(long sizeBytes) {
    return new HostMemory(NativeMemory.allocate(sizeBytes), allocations, taint.ofNewMemory());
  }

  @Override
  public Optional<DeviceMemory> allocationAt(long address, long sizeBytes) {
    return allocations.find(address, sizeBytes);
  }

  @Override
  public DeviceMemory register(long hostAddress, long sizeBytes) {
    return new RegisteredHostMemory(hostAddress, sizeBytes);
  }

  @Override
  public boolean reaches(long hostAddress, long sizeBytes) {
    return true;
  }

  @Override
  public Stream newStream() {
    return new HostStream();
  }

  @Override
  public Stream streamOf(long nativeHandle) {
    throw new UnsupportedException("the host device has no native streams; use newStream()");
  }

  @Override
  public Optional<String> objection(Stream stream) {
    if (stream instanceof HostStream own) {
      return own.isClosed() ? Optional.of("is closed") : Optional.empty();
    }
    return Optional.of("is not one of the host");
  }

  @Override
  public Event newEvent() {
    return new HostEvent();
  }

  @Override
  public void copyAsync(
      CopyDirection direction, long destination, long source, long sizeBytes, Stream stream) {
    streamOf(stream)
        .enqueueMemoryWork(sizeBytes, () -> NativeMemory.copy(destination, source, sizeBytes));
  }

  @Override
  public void fillAsync(long destination, byte value, long sizeBytes, Stream stream) {
    streamOf(stream)
        .enqueueMemoryWork(sizeBytes, () -> NativeMemory.fill(destination, value, sizeBytes));
  }

  @Override
  public boolean isHost() {
    return true;
  }

  @Override
  public boolean isHostOrdered() {
    return false;
  }

  @Override
  public List<LongCell> newWords(int count) {
    CellSpread spread = new CellSpread(count);
    NativeMemory memory = NativeMemory.allocate(spread.sizeBytes());
    return new SpreadWords(spread, memory::cell);
  }

  @Override
  public void waitValueAsync(Stream stream, long address, long value) {
    LongCell cell = NativeMemory.cellAt(address);
    streamOf(stream).enqueueWait(() -> cell.getAcquire() - value >= 0);
  }

  @Override
  public void writeValueAsync(Stream stream, long address, long value) {
    LongCell cell = NativeMemory.cellAt(address);
    streamOf(stream).enqueueMemoryWork(Long.BYTES, () -> cell.setRelease(value));
  }

  @Override
  public Availability reducing() {
    return reductions();
  }

  static Availability reductions() {
    return new Availability.Available(HostReducer.best().level().text());
  }

  @Override
  public DeviceReducer newReducer() {
    return new HostStreamReducer();
  }

  @Override
  public Optional<DeviceChecksummer> newChecksummer() {
    return Optional.of(new HostStreamChecksummer());
  }

  @Override
  public boolean flushesRemoteWrites() {
    return true;
  }

  /** Nothing to do: host memory is coherent with what NICs write. */
  @Override
  public void flushRemoteWrites() {}

  @Override
  public MemoryExport export(DeviceMemory memory) {
    return new MemoryExport.Host(memory.address());
  }

  @Override
  public boolean canAccessPeer(int ordinal) {
    throw new UnsupportedException("the host device has no peer access: there is no other one");
  }

  @Override
  public void enablePeerAccess(int ordinal) {
    throw new UnsupportedException("the host device has no peer access: there is no other one");
  }

  @Override
  public byte[] ipcHandle(DeviceMemory memory) {
    throw new UnsupportedException(
        "the host device shares memory through segments, not through IPC handles");
  }

  @Override
  public DeviceMemory openIpc(byte[] handle) {
    throw new UnsupportedException("the host device opens no IPC handles");
  }

  /** Giving host memory back waits for no work. */
  @Override
  public void taint() {
    taint.begin();
    taint.end();
  }

  @Override
  public void endTaint() {}

  /** Giving memory back waits for no work; streams are threads, which end. */
  @Override
  public boolean freesAfterFailures() {
    return true;
  }

  @Override
  public boolean isTainted() {
    return taint.hasBegun();
  }

  @Override
  public BooleanSupplier leavesBehind() {
    return taint.ofNewMemory();
  }

  @Override
  public void close() {}

  /** What Linux calls MemTotal, in {@code proc(5)}; 0 where it does not say. */
  private static long totalMemoryBytes() {
    try (java.util.stream.Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith("MemTotal:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  static HostStream streamOf(Stream stream) {
    checkArgument(stream instanceof HostStream, "not a stream of the host device: %s", stream);
    return (HostStream) stream;
  }
}
