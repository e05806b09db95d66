// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.math.LongMath;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Availability;
import io.tombolo.base.LongCell;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.MemoryKind;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.VendorException;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A device behind a {@link DeviceRuntime}. */
final class RuntimeDevice implements DeviceAdaptor {
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeDevice.class);

  /** What cuMemGetHandleForAddressRange wants ranges to be multiples of: a page of the host. */
  private static final long PAGE_BYTES = 4096;

  private final DeviceRuntime opened;
  private final String runtime;
  private final DeviceProperties properties;
  private final long handle;
  private final int ordinal;
  private final boolean wasOpen;
  private final Optional<KernelCompiler> compiler;
  private final Abilities abilities;
  private final StreamWords words;
  private final boolean asksStreams;
  private final boolean eventsTellFailures;
  private final ImmutableSet<DeviceFeature> features;
  private final Peers peers;
  private final Allocations allocations = new Allocations();
  private final Allocations pinned = new Allocations();
  private final Taint taint = new Taint();

  /**
   * Device {@code ordinal} of {@code opened}, behind {@code handle}; before, {@code wasOpen} or
   * not.
   */
  RuntimeDevice(
      DeviceRuntime opened,
      DeviceDialect dialect,
      DeviceProperties properties,
      long handle,
      int ordinal,
      boolean wasOpen) {
    this.opened = opened;
    this.runtime = dialect.name();
    this.properties = properties;
    this.handle = handle;
    this.ordinal = ordinal;
    this.wasOpen = wasOpen;
    this.compiler = dialect.compiler().map(KernelCompiler::new);
    this.abilities = Abilities.of(handle, dialect);
    this.words = new StreamWords(this, handle, abilities, gates(dialect));
    this.asksStreams = dialect.symbols().containsKey(Role.STREAM_QUERY);
    this.eventsTellFailures = dialect.eventsTellFailures();
    this.features =
        Arrays.stream(DeviceFeature.values())
            .filter(feature -> has(handle, feature))
            .collect(Sets.toImmutableEnumSet());
    this.peers = new Peers(opened, handle, ordinal);
  }

  private Optional<GateProbe> gates(DeviceDialect dialect) {
    boolean registers = dialect.symbols().containsKey(Role.HOST_REGISTER);
    return dialect.hasGatesToTry()
        ? Optional.of(new GateProbe(this, handle, registers))
        : Optional.empty();
  }

  private static boolean has(long device, DeviceFeature feature) {
    return switch (feature) {
      case MANAGED_MEMORY -> DeviceLibrary.allocatesManaged(device);
      case HOST_FUNCTIONS -> DeviceLibrary.callsHost(device);
      case PEER_ACCESS -> DeviceLibrary.knowsPeers(device);
    };
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public boolean wasOpen() {
    return wasOpen;
  }

  @Override
  public boolean takeFirstWarning() {
    return DeviceLibrary.takeFirstWarning(handle);
  }

  @Override
  public long bindThread() {
    return DeviceLibrary.bindThread(handle);
  }

  @Override
  public void unbindThread(long before) {
    if (before != 0) {
      DeviceLibrary.unbindThread(handle, before);
    }
  }

  @Override
  public ImmutableSet<DeviceFeature> features() {
    return features;
  }

  /** An {@link UnsupportedException} where the runtime does not have it here. */
  void require(DeviceFeature feature) {
    if (!features.contains(feature)) {
      throw new UnsupportedException(
          "the " + runtime + " here has no " + feature.text() + "; see the device's features()");
    }
  }

  @Override
  public DeviceMemory allocate(long sizeBytes) {
    checkSize(sizeBytes);
    return allocations.added(
        new RuntimeMemory(
            this, DeviceLibrary.allocate(handle, sizeBytes), sizeBytes, MemoryKind.DEVICE));
  }

  @Override
  public Optional<DeviceMemory> allocationAt(long address, long sizeBytes) {
    return allocations.find(address, sizeBytes);
  }

  /** {@code memory}, which begins at {@code address}, is about to be freed. */
  void forget(long address, RuntimeMemory memory) {
    allocations.remove(address, memory);
    pinned.remove(address, memory);
  }

  @Override
  public DeviceMemory allocatePinned(long sizeBytes) {
    checkSize(sizeBytes);
    return pinned.added(
        new RuntimeMemory(
            this, DeviceLibrary.allocatePinned(handle, sizeBytes), sizeBytes, MemoryKind.PINNED));
  }

  @Override
  public DeviceMemory allocateManaged(long sizeBytes) {
    require(DeviceFeature.MANAGED_MEMORY);
    checkSize(sizeBytes);
    return new RuntimeMemory(
        this, DeviceLibrary.allocateManaged(handle, sizeBytes), sizeBytes, MemoryKind.MANAGED);
  }

  @Override
  public DeviceMemory register(long hostAddress, long sizeBytes) {
    checkSize(sizeBytes);
    abilities.requireHostPointers(runtime);
    return pinned.added(
        new RuntimeMemory(
            this,
            DeviceLibrary.registerHost(handle, hostAddress, sizeBytes),
            sizeBytes,
            MemoryKind.PINNED));
  }

  @Override
  public boolean reaches(long hostAddress, long sizeBytes) {
    return pinned.covers(hostAddress, sizeBytes);
  }

  @Override
  public Stream newStream() {
    return newStream(false);
  }

  @Override
  public Stream newUrgentStream() {
    return newStream(true);
  }

  private Stream newStream(boolean urgent) {
    return withEnd(
        false,
        end -> RuntimeStream.own(this, DeviceLibrary.newStream(handle, urgent), end, urgent));
  }

  @Override
  public Stream streamOf(long nativeHandle) {
    return withEnd(
        true,
        end ->
            RuntimeStream.foreign(
                this, DeviceLibrary.streamOf(handle, nativeHandle), nativeHandle, end));
  }

  /** What {@code make} makes of an end, which is given back if there is no stream for it. */
  private Stream withEnd(boolean isForeign, Function<Optional<StreamEnd>, Stream> make) {
    Optional<StreamEnd> end = end(isForeign);
    try {
      return make.apply(end);
    } catch (RuntimeException e) {
      end.ifPresent(StreamEnd::close);
      throw e;
    }
  }

  @Override
  public Optional<String> objection(Stream stream) {
    return stream instanceof RuntimeStream own
        ? own.objection(this)
        : Optional.of("is not one of the " + runtime);
  }

  @Override
  public Optional<String> objection(long address) {
    return ForeignMemory.objection(handle, ordinal, address, runtime);
  }

  /** It may be open several times in a process. */
  boolean isSame(RuntimeDevice other) {
    return ordinal == other.ordinal && runtime.equals(other.runtime);
  }

  /** For people. */
  String place() {
    return "device " + ordinal + " of the " + runtime;
  }

  private Optional<StreamEnd> end(boolean isForeign) {
    return asksStreams
        ? Optional.empty()
        : Optional.of(new StreamEnd(DeviceLibrary.newEvent(handle, false), isForeign));
  }

  @Override
  public Event newEvent() {
    return newEvent(false);
  }

  @Override
  public Event newAwaitedEvent() {
    return newEvent(true);
  }

  private Event newEvent(boolean awaited) {
    return new RuntimeEvent(DeviceLibrary.newEvent(handle, awaited), eventsTellFailures);
  }

  @Override
  public void copyAsync(
      CopyDirection direction, long destination, long source, long sizeBytes, Stream stream) {
    DeviceLibrary.copy(
        RuntimeStream.handleOf(stream), code(direction), destination, source, sizeBytes);
    RuntimeStream.queued(stream);
  }

  @Override
  public void fillAsync(long destination, byte value, long sizeBytes, Stream stream) {
    DeviceLibrary.fill(RuntimeStream.handleOf(stream), destination, value, sizeBytes);
    RuntimeStream.queued(stream);
  }

  @Override
  public boolean isHostOrdered() {
    return !words.exist();
  }

  @Override
  public List<LongCell> newWords(int count) {
    return words.make(count);
  }

  @Override
  public boolean hasScarceWords() {
    return words.areScarce();
  }

  @Override
  public void waitValueAsync(Stream stream, long address, long value) {
    DeviceLibrary.waitValue(RuntimeStream.handleOf(stream), address, value);
  }

  @Override
  public void writeValueAsync(Stream stream, long address, long value) {
    DeviceLibrary.writeValue(RuntimeStream.handleOf(stream), address, value);
  }

  @Override
  public boolean flushesRemoteWrites() {
    return abilities.flushes();
  }

  @Override
  public void flushRemoteWrites() {
    DeviceLibrary.flush(handle);
  }

  @Override
  public Availability reducing() {
    return opened.reducing();
  }

  @Override
  public DeviceReducer newReducer() {
    if (reducing() instanceof Availability.Missing why) {
      throw new UnavailableException(why.cause() + "; " + why.fix());
    }
    return new RuntimeReducer(handle, compiled(KernelCompiler.reductions()));
  }

  @Override
  public Optional<DeviceChecksummer> newChecksummer() {
    return reducing().isAvailable()
        ? Optional.of(new RuntimeChecksummer(handle, compiled(KernelCompiler.checksum())))
        : Optional.empty();
  }

  private byte[] compiled(String source) {
    long before = bindThread();
    try {
      return compiler.orElseThrow().compile(source, ImmutableList.of());
    } finally {
      unbindThread(before);
    }
  }

  @Override
  public MemoryExport export(DeviceMemory memory) {
    return switch (memory.kind()) {
      case DEVICE -> exportDevice(memory);
      case MANAGED -> new MemoryExport.None("managed memory moves between host and device");
      case PINNED, HOST -> new MemoryExport.Host(memory.address());
    };
  }

  /** A dma-buf of the whole pages that the block is in; else the driver of the NIC may know it. */
  private MemoryExport exportDevice(DeviceMemory memory) {
    if (DeviceLibrary.exportsDmaBuf(handle)) {
      try {
        long pages = LongMath.divide(memory.sizeBytes(), PAGE_BYTES, RoundingMode.CEILING);
        return new MemoryExport.DmaBuf(
            DeviceLibrary.exportDmaBuf(RuntimeMemory.handleOf(memory), pages * PAGE_BYTES), 0);
      } catch (VendorException e) {
        LOG.debug("the {} exports no dma-buf: {}", runtime, e.getMessage());
      }
    }
    return new MemoryExport.PeerMemory(memory.address());
  }

  @Override
  public boolean canAccessPeer(int ordinal) {
    require(DeviceFeature.PEER_ACCESS);
    return peers.canAccess(ordinal);
  }

  @Override
  public void enablePeerAccess(int ordinal) {
    require(DeviceFeature.PEER_ACCESS);
    peers.enable(ordinal);
  }

  @Override
  public byte[] ipcHandle(DeviceMemory memory) {
    return new IpcTicket(
            runtime, memory.sizeBytes(), DeviceLibrary.exportIpc(RuntimeMemory.handleOf(memory)))
        .encoded();
  }

  @Override
  public DeviceMemory openIpc(byte[] ticket) {
    IpcTicket from = IpcTicket.decode(ticket);
    from.ensureFrom(runtime);
    return new RuntimeMemory(
        this, DeviceLibrary.openIpc(handle, from.handle()), from.sizeBytes(), MemoryKind.DEVICE);
  }

  @Override
  public void taint() {
    taint.begin();
  }

  @Override
  public void endTaint() {
    taint.end();
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
  public void close() {
    if (!isTainted()) {
      peers.close();
      DeviceLibrary.closeDevice(handle);
    }
  }

  private static int code(CopyDirection direction) {
    return switch (direction) {
      case HOST_TO_DEVICE -> 0;
      case DEVICE_TO_HOST -> 1;
      case DEVICE_TO_DEVICE -> 2;
    };
  }

  private static void checkSize(long sizeBytes) {
    checkArgument(sizeBytes > 0, "a block needs at least one byte, not %s", sizeBytes);
  }
}
