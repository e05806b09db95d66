// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.net.HostAndPort;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.CloseStack;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.verbs.VerbsReads;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.store.JointWriter;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorHolders;
import io.tombolo.store.TensorSnapshot;
import io.tombolo.store.TensorStore;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.cast.Narrowing;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.PlacedPut;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What {@code libtombolo.so} calls of the tensor store: {@link Shell}'s counterpart. Volumes, open
 * puts and snapshots are numbered; tensors are C's arrays, by address. Thread-safe as {@link
 * TensorStore} is.
 */
final class VolumeShell {
  private final HandleTable<Server> servers = new HandleTable<>("server");
  private final HandleTable<TensorHolders> holders = new HandleTable<>("reader of holders");
  private final HandleTable<TensorStore> volumes = new HandleTable<>("volume");
  private final HandleTable<PlacedPut> puts = new HandleTable<>("put");
  private final HandleTable<OpenSnapshot> snapshots = new HandleTable<>("snapshot");
  private final DeviceSums sums;
  private final TokenReads reads = new TokenReads(VolumeShell::device);

  /** What connections have of the devices of their tokens. */
  private final Map<AutoCloseable, TokenReads.Lease> leases = new ConcurrentHashMap<>();

  /**
   * A volume, and the device of its own that its clients read by: they see nobody else's memory.
   */
  private record Server(Volume volume, VerbsReads reads) {
    void stop() {
      volume.close();
      reads.close();
    }
  }

  /** A snapshot, and its tensors in the order that C counts them. */
  private record OpenSnapshot(TensorSnapshot snapshot, List<String> names) {
    static OpenSnapshot of(TensorSnapshot snapshot) {
      return new OpenSnapshot(snapshot, List.copyOf(snapshot.names()));
    }

    String name(int index) {
      if (index < 0 || index >= names.size()) {
        throw new UsageException(
            "the snapshot has %s tensors, counted from 0; none is %s"
                .formatted(names.size(), index));
      }
      return names.get(index);
    }

    WantedPart wanted(NativeRead read) {
      String name = name(read.index());
      return read.of(name, snapshot.spec(name));
    }
  }

  /** Made by C. */
  VolumeShell() {
    this(new DeviceSums(Vendors::named));
  }

  VolumeShell(DeviceSums sums) {
    this.sums = sums;
  }

  /** A volume of this process; {@code kept} 0 is the standard. */
  long serve(String listen, String token, long memoryBytes, int kept) {
    VerbsReads device = device();
    VolumeOptions options = VolumeOptions.of(memoryBytes).withReads(device);
    Volume volume =
        Volume.serve(
            HostPort.parse(listen),
            JobToken.parse(token),
            kept == 0 ? options : options.withKeptVersions(kept));
    return servers.add(new Server(volume, device));
  }

  byte[] serverAddress(long server) {
    InetSocketAddress address = servers.get(server).volume().address();
    return HostAndPort.fromParts(address.getAddress().getHostAddress(), address.getPort())
        .toString()
        .getBytes(UTF_8);
  }

  void stop(long server) {
    servers.get(server);
    servers.remove(server).ifPresent(Server::stop);
  }

  /** Room for the next version of what a server holds, whose places it writes to the array. */
  long hold(
      long server,
      String stateDict,
      String run,
      int count,
      int rank,
      int replicas,
      long patienceMs,
      long version,
      String[] names,
      long parts) {
    Map<String, PartSpec> specs = NativeTensors.partSpecs(names, parts);
    PlacedPut put =
        servers
            .get(server)
            .volume()
            .hold(stateDict, rank(run, count, rank, replicas))
            .begin(version, specs, Duration.ofMillis(patienceMs));
    for (int index = 0; index < names.length; index++) {
      NativeTensors.placePart(parts, index, put.address(names[index]));
    }
    return puts.add(put);
  }

  /** Shows a version where it lies; strides are at {@code strides}, by part, or 0. */
  void register(
      long server,
      String stateDict,
      String run,
      int count,
      int rank,
      int replicas,
      long version,
      String[] names,
      long parts,
      long strides) {
    servers
        .get(server)
        .volume()
        .hold(stateDict, rank(run, count, rank, replicas))
        .register(version, NativeTensors.stridedParts(names, parts, strides));
  }

  /** 0 {@code replicas} are 1. */
  private static HolderRank rank(String run, int count, int rank, int replicas) {
    return new HolderRank(run, count, rank, replicas == 0 ? 1 : replicas);
  }

  void withdraw(long server, String stateDict) {
    servers.get(server).volume().hold(stateDict, new HolderRank("", 1, 0)).withdraw();
  }

  /** {@code addresses} have commas between them. */
  long openHolders(String addresses, String token, long timeoutMs, boolean sharesMemory) {
    List<InetSocketAddress> all =
        Splitter.on(',').splitToStream(addresses).map(HostPort::parse).toList();
    return holders.add(
        connected(
            token,
            timeoutMs,
            sharesMemory,
            options -> TensorHolders.connect(all, JobToken.parse(token), options)));
  }

  int holdersSharing(long reader) {
    return holders.get(reader).sharing();
  }

  void closeHolders(long reader) {
    holders.get(reader);
    holders
        .remove(reader)
        .ifPresent(
            each -> {
              each.close();
              giveBack(each);
            });
  }

  long awaitHeld(long reader, String stateDict, long newerThan, long patienceMs) {
    return snapshots.add(
        OpenSnapshot.of(
            holders.get(reader).await(stateDict, newerThan, Duration.ofMillis(patienceMs))));
  }

  /** {@code timeoutMs} 0 is the standard. */
  long open(String address, String token, long timeoutMs, boolean sharesMemory) {
    return volumes.add(
        connected(
            token,
            timeoutMs,
            sharesMemory,
            options ->
                TensorStore.connect(HostPort.parse(address), JobToken.parse(token), options)));
  }

  /** A device as the settings name it, which is opened when something needs it. */
  private static VerbsReads device() {
    return VerbsReads.from(JobEnvironment.plainSettingsOf(System.getenv()));
  }

  /** A connection; unless it is to be one alone, it has its token's device until it is closed. */
  private <T extends AutoCloseable> T connected(
      String token, long timeoutMs, boolean sharesMemory, Function<StoreOptions, T> connect) {
    StoreOptions options = timed(timeoutMs);
    if (!sharesMemory) {
      return connect.apply(options.withoutSharedMemory());
    }
    try (CloseStack unlessConnected = new CloseStack()) {
      TokenReads.Lease lease = unlessConnected.opened(reads.lend(token));
      T made = connect.apply(options.withReads(lease.device()));
      leases.put(made, lease);
      unlessConnected.keep();
      return made;
    }
  }

  private void giveBack(AutoCloseable closed) {
    TokenReads.Lease lease = leases.remove(closed);
    if (lease != null) {
      lease.close();
    }
  }

  private static StoreOptions timed(long timeoutMs) {
    StoreOptions standard = StoreOptions.defaults();
    return timeoutMs == 0 ? standard : standard.withTimeout(Duration.ofMillis(timeoutMs));
  }

  boolean sharesMemory(long volume) {
    return volumes.get(volume).sharesMemory();
  }

  /** It stays open if a put of it is. */
  void close(long volume) {
    volumes.get(volume).close();
    volumes.remove(volume).ifPresent(this::giveBack);
  }

  /** At the end of the process, when nobody copies any more. */
  void closeAll() {
    puts.latestFirst().forEach(this::abort);
    volumes.latestFirst().forEach(this::close);
    holders.latestFirst().forEach(this::closeHolders);
    snapshots.latestFirst().forEach(snapshots::remove);
    servers.latestFirst().forEach(this::stop);
    reads.close();
    leases.clear();
  }

  /**
   * At the very end: to give back what checksums have on a device may wait for all work there, also
   * for what only the end of its communicator stops.
   *
   * @param allEnded whether all communicators have ended, and left no work behind; else nothing is
   *     given back
   */
  void closeSums(boolean allEnded) {
    if (allEnded) {
      sums.close();
    } else {
      sums.leave();
    }
  }

  /**
   * The version; 0 for tensors with names of their own, which an empty {@code stateDict} means. At
   * {@code checksums} are those that are known, by address; 0 if none is.
   */
  long put(long volume, String stateDict, String[] names, long tensors, long checksums) {
    TensorStore store = volumes.get(volume);
    Map<String, HostTensor> values = NativeTensors.tensors(names, tensors);
    Map<String, Integer> known = NativeTensors.checksums(names, checksums);
    if (!stateDict.isEmpty()) {
      return store.putStateDict(stateDict, values, known);
    }
    store.putBatch(values, known);
    return 0;
  }

  /** Likewise, of what the {@code tombolo_maker} at {@code maker} makes. */
  long putMade(long volume, String stateDict, String[] names, long tensors, long maker) {
    return volumes
        .get(volume)
        .putMade(stateDict, NativeTensors.specs(names, tensors), new ProgramMaker(maker, names));
  }

  /**
   * The CRC-32C of a device's memory, after what is queued on {@code stream}, or at once if the
   * host has ordered that; {@code timeoutMs} 0 is the standard.
   */
  int deviceChecksum(
      String vendor,
      int device,
      long address,
      long bytes,
      boolean isHostOrdered,
      long stream,
      long timeoutMs) {
    OptionalLong after = isHostOrdered ? OptionalLong.empty() : OptionalLong.of(stream);
    return sums.of(vendor, device, address, bytes, after, timed(timeoutMs).timeout());
  }

  /** A version of a state dict, narrowed to {@code type}. */
  long putCast(
      long volume, String stateDict, int type, boolean scaled, String[] names, long tensors) {
    Cast cast = Cast.to(Operators.type(type));
    return volumes
        .get(volume)
        .putStateDict(
            stateDict, NativeTensors.tensors(names, tensors), scaled ? cast.withScales() : cast);
  }

  void narrow(int from, long source, long count, float scale, int to, long target) {
    Narrowing.narrow(Operators.type(from), source, Operators.type(to), target, count, scale);
  }

  void widen(int from, long source, long count, float scale, long target) {
    Narrowing.widen(Operators.type(from), source, target, count, scale);
  }

  void scaleOf(int from, long source, long count, int to, long result) {
    float scale = Narrowing.scaleOf(Operators.type(from), source, Operators.type(to), count);
    NativeMemory.viewOf(result, Float.BYTES).putFloat(scale);
  }

  /** At {@code checksums} as for {@link #put}. */
  long putPart(
      long volume,
      String stateDict,
      String round,
      int writers,
      int writer,
      long patienceMs,
      String[] names,
      long parts,
      long checksums) {
    return volumes
        .get(volume)
        .putStateDictPart(
            stateDict,
            new JointWriter(round, writers, writer, Duration.ofMillis(patienceMs)),
            NativeTensors.parts(names, parts),
            NativeTensors.checksums(names, checksums));
  }

  /** Likewise, of what the {@code tombolo_maker} at {@code maker} makes. */
  long putPartMade(
      long volume,
      String stateDict,
      String round,
      int writers,
      int writer,
      long patienceMs,
      String[] names,
      long parts,
      long maker) {
    return volumes
        .get(volume)
        .putStateDictPart(
            stateDict,
            new JointWriter(round, writers, writer, Duration.ofMillis(patienceMs)),
            NativeTensors.partSpecs(names, parts),
            new ProgramMaker(maker, names));
  }

  /** Room for the tensors, whose places it writes to the array. */
  long begin(long volume, String stateDict, String[] names, long tensors) {
    PlacedPut put = volumes.get(volume).begin(stateDict, NativeTensors.specs(names, tensors));
    for (int index = 0; index < names.length; index++) {
      NativeTensors.place(tensors, index, put.address(names[index]));
    }
    return puts.add(put);
  }

  void setChecksum(long put, String name, int checksum) {
    puts.get(put).setChecksum(name, checksum);
  }

  long commit(long put) {
    PlacedPut open = puts.get(put);
    puts.remove(put);
    return open.commit();
  }

  void abort(long put) {
    puts.get(put);
    puts.remove(put).ifPresent(PlacedPut::close);
  }

  long openTensors(long volume, String[] names) {
    return snapshots.add(OpenSnapshot.of(volumes.get(volume).open(List.of(names))));
  }

  /** The newest version, once it is newer than that; at once if {@code patienceMs} is negative. */
  long openVersion(long volume, String stateDict, long newerThan, long patienceMs) {
    TensorStore store = volumes.get(volume);
    return snapshots.add(
        OpenSnapshot.of(
            patienceMs < 0
                ? store.openStateDict(stateDict)
                : store.awaitStateDict(stateDict, newerThan, Duration.ofMillis(patienceMs))));
  }

  long openKept(long volume, String stateDict, long version) {
    return snapshots.add(OpenSnapshot.of(volumes.get(volume).openStateDict(stateDict, version)));
  }

  /** 1 if there is a tensor of this name, else 0. */
  long exists(long volume, String name) {
    return volumes.get(volume).exists(name) ? 1 : 0;
  }

  /** The newest version that is kept, and to {@code oldest} the oldest; 0 if there are none. */
  long keptVersions(long volume, String stateDict, long oldest) {
    Optional<StateDictListing> found =
        volumes.get(volume).stateDicts(stateDict).stream()
            .filter(each -> each.name().equals(stateDict))
            .findFirst();
    NativeMemory.viewOf(oldest, Long.BYTES).putLong(found.map(StateDictListing::oldest).orElse(0L));
    return found.map(StateDictListing::newest).orElse(0L);
  }

  long version(long snapshot) {
    return snapshots.get(snapshot).snapshot().version();
  }

  byte[] names(long snapshot) {
    return listed(snapshots.get(snapshot).names());
  }

  /**
   * Writes the shape of a tensor to {@code shape}; its {@code tombolo_type}, and shifted by 8 bits
   * the number of its dimensions.
   */
  int describe(long snapshot, int index, long shape) {
    OpenSnapshot open = snapshots.get(snapshot);
    TensorSpec spec = open.snapshot().spec(open.name(index));
    NativeTensors.writeShape(shape, spec);
    return spec.type().code() | spec.shape().size() << Byte.SIZE;
  }

  /** Where a tensor can be read; 0 if nowhere. */
  long address(long snapshot, int index) {
    OpenSnapshot open = snapshots.get(snapshot);
    return open.snapshot().address(open.name(index)).orElse(0);
  }

  /** Copies a part of a tensor to {@code target}; all of it if {@code from} is NULL. */
  void read(long snapshot, int index, long from, long to, long target) {
    OpenSnapshot open = snapshots.get(snapshot);
    open.snapshot().getAllInto(List.of(open.wanted(new NativeRead(index, from, to, target))));
  }

  /** Likewise all that the array at {@code reads} says. */
  void readAll(long snapshot, long reads, long count) {
    OpenSnapshot open = snapshots.get(snapshot);
    open.snapshot().getAllInto(NativeRead.all(reads, count).stream().map(open::wanted).toList());
  }

  void verify(long snapshot, int index) {
    OpenSnapshot open = snapshots.get(snapshot);
    open.snapshot().verify(open.name(index));
  }

  void check(long snapshot) {
    snapshots.get(snapshot).snapshot().check();
  }

  /** It stays open if that is refused. */
  void closeSnapshot(long snapshot) {
    snapshots.get(snapshot).snapshot().close();
    snapshots.remove(snapshot);
  }

  long delete(long volume, String[] names) {
    return volumes.get(volume).delete(List.of(names));
  }

  long drop(long volume, String stateDict) {
    return volumes.get(volume).dropStateDict(stateDict);
  }

  byte[] keys(long volume, String prefix) {
    return listed(volumes.get(volume).keys(prefix));
  }

  byte[] stateDicts(long volume, String prefix) {
    return listed(
        volumes.get(volume).stateDicts(prefix).stream().map(StateDictListing::name).toList());
  }

  /** Names, each followed by a 0, of which C has none in a name. */
  private static byte[] listed(List<String> names) {
    StringBuilder text = new StringBuilder();
    names.forEach(name -> text.append(name).append('\0'));
    return text.toString().getBytes(UTF_8);
  }
}
