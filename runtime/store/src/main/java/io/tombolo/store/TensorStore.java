// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.cast.Sources;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Tensors that any process with the token can put, get and delete, in the memory of a {@link
 * io.tombolo.store.volume.Volume}.
 *
 * <p>On one host and for one user, bytes are copied once, straight between the caller's memory and
 * the volume's. Else they go over the connection, from native memory to native memory. Where
 * {@linkplain StoreOptions#withReads both have a device} for that, those of a get come past the
 * volume's process, and those of a put the volume reads from this process's memory.
 *
 * <p>All tensors of a put become visible at once, or none, also if this process dies. A state dict
 * has versions: readers of one are not disturbed by the next.
 *
 * <p>Thread-safe; one call at a time. Every call ends within the timeout of the options, or a
 * little more for each byte that moves; a get that has begun also waits for what other threads move
 * in between. Its errors are {@link io.tombolo.base.errors.TomboloException}s.
 */
public final class TensorStore implements AutoCloseable {
  private static final String NAMED = "";

  private final VolumeLink volume;
  private final VolumeMemory memory;
  private final VolumeReads reads;
  private final VolumePulls pulls;
  private final AtomicInteger openPuts = new AtomicInteger();

  private TensorStore(
      VolumeLink volume, VolumeMemory memory, VolumeReads reads, VolumePulls pulls) {
    this.volume = volume;
    this.memory = memory;
    this.reads = reads;
    this.pulls = pulls;
  }

  /**
   * Connects to the volume at {@code address}.
   *
   * @throws io.tombolo.base.errors.UnavailableException if nobody answers there
   * @throws io.tombolo.base.errors.MismatchException if it does not know the token
   */
  public static TensorStore connect(
      InetSocketAddress address, JobToken token, StoreOptions options) {
    VolumeLink volume = VolumeLink.open(address, token, options.timeout());
    return new TensorStore(
        volume,
        VolumeMemory.of(volume.welcome(), options.sharesMemory()),
        new VolumeReads(options.reads(), volume),
        new VolumePulls(options.reads(), volume));
  }

  /** Whether bytes are copied straight from and to the volume's memory. */
  public boolean sharesMemory() {
    return memory.readable().isPresent();
  }

  /** Puts a tensor under a name of its own, instead of what was there. */
  public void put(String name, HostTensor tensor) {
    putBatch(Map.of(name, tensor));
  }

  /**
   * Puts tensors under names of their own: all at once, or none.
   *
   * @throws io.tombolo.base.errors.ResourceException if they do not fit; no byte has moved then
   */
  public void putBatch(Map<String, HostTensor> tensors) {
    putBatch(tensors, Map.of());
  }

  /**
   * As {@link #putBatch(Map)}, of tensors of which the CRC-32Cs {@code checksums} are known, by
   * name: a device may have computed them, from where the bytes were copied.
   *
   * @throws io.tombolo.base.errors.CorruptException if what has moved has another one; nothing is
   *     put then
   */
  public void putBatch(Map<String, HostTensor> tensors, Map<String, Integer> checksums) {
    volume.run(
        "put %s tensors".formatted(tensors.size()),
        () ->
            new Putting(volume, memory, pulls)
                .put(NAMED, Sources.of(tensors).bytes(), new KnownChecksums(checksums)));
  }

  /**
   * Makes room for tensors in memory shared with the volume, for what copies there by itself: a
   * device, or code that turns strided tensors into contiguous ones. Without shared memory there is
   * none, and {@link #putBatch} is the way.
   *
   * @param stateDict whose next version they will be; empty if each has a name of its own
   * @param tensors what they are, by name
   * @throws io.tombolo.base.errors.ResourceException if they do not fit
   */
  public OpenPut begin(String stateDict, Map<String, TensorSpec> tensors) {
    NativeMemory room =
        memory
            .writable()
            .orElseThrow(
                () ->
                    new UnsupportedException(
                        "this process does not share memory with %s; put the tensors instead"
                            .formatted(volume.where())));
    return volume.run(
        "make room for %s tensors".formatted(tensors.size()),
        () -> OpenPut.begin(volume, room, openPuts, stateDict, tensors));
  }

  /** A copy of the tensor called {@code name}, in memory that the caller closes. */
  public HostTensor get(String name) {
    return copy(name, snapshot -> snapshot.get(name));
  }

  /** A copy of a tensor's part, likewise. */
  public HostTensor get(String name, Box part) {
    return copy(name, snapshot -> snapshot.get(name, part));
  }

  /** What {@code get} has copied, which is freed again if the snapshot is not given back. */
  private HostTensor copy(String name, Function<Snapshot, HostTensor> get) {
    Optional<HostTensor> copy = Optional.empty();
    try (Snapshot snapshot = open(List.of(name))) {
      copy = Optional.of(get.apply(snapshot));
    } catch (RuntimeException e) {
      copy.ifPresent(each -> each.memory().close());
      throw e;
    }
    return copy.get();
  }

  /** Copies the tensor called {@code name} into {@code target}, which has its type and shape. */
  public void getInto(String name, HostTensor target) {
    try (Snapshot snapshot = open(List.of(name))) {
      snapshot.getInto(name, target);
    }
  }

  /** Several tensors as they are now; {@link UsageException} if one of them is not there. */
  public Snapshot open(List<String> names) {
    return volume.run(
        "open %s tensors".formatted(names.size()),
        () -> snapshot(volume.ask(new VolumeRequest.OpenTensors(ImmutableList.copyOf(names)))));
  }

  /** Forgets these tensors; how many there were. */
  public long delete(List<String> names) {
    return volume.run(
        "delete %s tensors".formatted(names.size()),
        () -> count(volume.ask(new VolumeRequest.Delete(ImmutableList.copyOf(names)))));
  }

  /** Whether there is a tensor called {@code name}. */
  public boolean exists(String name) {
    return page(name, NAMED, 1).rows().stream().anyMatch(row -> row.name().equals(name));
  }

  /** The names that begin with {@code prefix}, in order. */
  public List<String> keys(String prefix) {
    return list(prefix).stream().map(TensorListing::name).toList();
  }

  /** The tensors whose names begin with {@code prefix}, in order. */
  public List<TensorListing> list(String prefix) {
    List<TensorListing> all = new ArrayList<>();
    Reply.Tensors page;
    do {
      page = page(prefix, all.isEmpty() ? NAMED : all.get(all.size() - 1).name(), WireBounds.ROWS);
      all.addAll(page.rows());
    } while (page.more() && !page.rows().isEmpty());
    return all;
  }

  /**
   * Adds a version to a state dict, visible at once and as a whole; the oldest goes if there are
   * too many.
   *
   * @return its number: 1 for the first, then one more each
   * @throws io.tombolo.base.errors.ResourceException if it does not fit beside those that are kept;
   *     no byte has moved then
   */
  public long putStateDict(String name, Map<String, HostTensor> tensors) {
    return putStateDict(name, tensors, Map.of());
  }

  /** Likewise, of tensors whose checksums are known as for {@link #putBatch(Map, Map)}. */
  public long putStateDict(
      String name, Map<String, HostTensor> tensors, Map<String, Integer> checksums) {
    return put(name, Sources.of(tensors), new KnownChecksums(checksums));
  }

  /** As {@link #putStateDict(String, Map)}, narrowed straight into what moves. */
  public long putStateDict(String name, Map<String, HostTensor> tensors, Cast cast) {
    return put(name, Sources.of(tensors, cast), KnownChecksums.NONE);
  }

  private long put(String name, Sources sources, KnownChecksums known) {
    if (name.isEmpty()) {
      throw new UsageException("a state dict needs a name");
    }
    return volume.run(
        "put state dict '%s'".formatted(name),
        () -> new Putting(volume, memory, pulls).put(name, sources.bytes(), known));
  }

  /**
   * Puts what is made only once there is room for all of it, one tensor after the other.
   *
   * @param stateDict whose next version they will be; empty if each has a name of its own
   * @param tensors what they will be, by name
   * @return the version; 0 if each has a name of its own
   * @throws io.tombolo.base.errors.ResourceException if they do not fit; nothing was made then
   * @throws io.tombolo.base.errors.CorruptException if what has moved of one has another checksum
   *     than its maker says
   */
  public long putMade(String stateDict, Map<String, TensorSpec> tensors, TensorMaker maker) {
    Making making = new Making(maker);
    Map<String, PartSpec> wholes = new LinkedHashMap<>();
    tensors.forEach((name, spec) -> wholes.put(name, new PartSpec(spec, spec.whole())));
    return volume.run(
        "put %s tensors".formatted(tensors.size()),
        () ->
            new Putting(volume, memory, pulls)
                .put(stateDict, making.sources(wholes).bytes(), making.known()));
  }

  /**
   * Adds a version to a state dict together with other processes, each of which has parts of its
   * tensors. It is visible at once and as a whole when all have written theirs; if one does not, it
   * never is, and the call of every writer fails. Parts may overlap if they are equal there: each
   * element is written once, by a writer that shares memory with the volume if there is one.
   *
   * @param name of the state dict
   * @param writer which of the processes this is
   * @param parts what this process has, by the tensors' names
   * @return its number, the same for all writers
   * @throws io.tombolo.base.errors.MismatchException if writers do not agree, or nobody has some
   *     part of a tensor; no byte has moved then
   * @throws io.tombolo.base.errors.ResourceException if it does not fit; no byte has moved then
   * @throws io.tombolo.base.errors.PeerFailedException if another writer has gone or given up
   * @throws DeadlineExceededException if another does not come or finish within its patience
   */
  public long putStateDictPart(String name, JointWriter writer, Map<String, TensorPart> parts) {
    return putStateDictPart(name, writer, parts, Map.of());
  }

  /**
   * Likewise, of parts of which the CRC-32Cs {@code checksums} are known, by the tensors' names: of
   * each part's own bytes, as a device may have computed them. It is read once more for that,
   * before anything moves.
   *
   * @throws io.tombolo.base.errors.CorruptException if a part has another one; then the call of
   *     every writer fails
   */
  public long putStateDictPart(
      String name,
      JointWriter writer,
      Map<String, TensorPart> parts,
      Map<String, Integer> checksums) {
    return new JointPutting(volume, memory, name, writer)
        .put(Sources.ofParts(parts), new KnownChecksums(checksums));
  }

  /**
   * As {@link #putStateDictPart(String, JointWriter, Map)}, of parts that are made, one after the
   * other, once all writers have come and there is room; those that replicas write are not.
   *
   * @param parts what this process will have, by the tensors' names
   * @throws io.tombolo.base.errors.CorruptException if a part has another checksum than its maker
   *     says; then the call of every writer fails
   */
  public long putStateDictPart(
      String name, JointWriter writer, Map<String, PartSpec> parts, TensorMaker maker) {
    Making making = new Making(maker);
    return new JointPutting(volume, memory, name, writer)
        .put(making.sources(parts), making.known());
  }

  /** As {@link #putStateDictPart(String, JointWriter, Map)}, narrowed before it moves. */
  public long putStateDictPart(
      String name, JointWriter writer, Map<String, TensorPart> parts, Cast cast) {
    return new JointPutting(volume, memory, name, writer)
        .put(Sources.ofParts(parts, cast), KnownChecksums.NONE);
  }

  /** Versions that several processes write together, and have not finished. */
  public List<JointListing> unfinished() {
    return volume.run(
        "list what is written together",
        () -> {
          Reply reply = volume.ask(new VolumeRequest.ListJoint());
          if (reply instanceof Reply.Unfinished unfinished) {
            return unfinished.rows();
          }
          throw volume.strange(reply);
        });
  }

  /** What the process at the other end holds and shows, in the order of the state dicts' names. */
  public List<HeldListing> held() {
    return volume.run(
        "list what it holds",
        () -> {
          Reply reply = volume.ask(new VolumeRequest.ListHeld());
          if (reply instanceof Reply.Shown shown) {
            return shown.rows();
          }
          throw volume.strange(reply);
        });
  }

  /** The newest version of a state dict; {@link UsageException} if there is none. */
  public Snapshot openStateDict(String name) {
    return volume
        .run("open state dict '%s'".formatted(name), () -> newer(name, 0, 0))
        .orElseThrow(
            () ->
                new UsageException(
                    "no state dict is called '%s'; 'tombolo store ls' lists those there are"
                        .formatted(name)));
  }

  /**
   * A version of a state dict, of those that are kept.
   *
   * @throws UsageException if it is not, or not any more
   */
  public Snapshot openStateDict(String name, long version) {
    if (version < 1) {
      throw new UsageException("versions are numbered from 1 on, not " + version);
    }
    return volume.run(
        "open version %s of state dict '%s'".formatted(version, name),
        () -> snapshot(volume.ask(new VolumeRequest.OpenKept(name, version))));
  }

  /**
   * The newest version of a state dict, once it is newer than {@code newerThan}.
   *
   * @throws DeadlineExceededException if it is not so within {@code patience}; wait again
   */
  public Snapshot awaitStateDict(String name, long newerThan, Duration patience) {
    Deadline deadline = Deadline.after(patience);
    long mostMs = Math.max(1, volume.timeout().toMillis() / 2);
    while (true) {
      int waitMs = (int) Math.min(mostMs, deadline.remainingMs());
      Optional<Snapshot> snapshot =
          volume.run(
              "wait for state dict '%s'".formatted(name), () -> newer(name, newerThan, waitMs));
      if (snapshot.isPresent()) {
        return snapshot.get();
      }
      if (deadline.isExpired()) {
        throw DeadlineExceededException.ofWait(
            "%s has no version of state dict '%s' newer than %s after %s ms; does its writer run?"
                .formatted(volume.where(), name, newerThan, patience.toMillis()));
      }
    }
  }

  /** Forgets a state dict; how many versions it had. Snapshots of them stay. */
  public long dropStateDict(String name) {
    return volume.run(
        "drop state dict '%s'".formatted(name),
        () -> count(volume.ask(new VolumeRequest.Drop(name))));
  }

  /** The state dicts whose names begin with {@code prefix}, in order. */
  public List<StateDictListing> stateDicts(String prefix) {
    List<StateDictListing> all = new ArrayList<>();
    Reply.StateDicts page;
    do {
      page = dictPage(prefix, all.isEmpty() ? NAMED : all.get(all.size() - 1).name());
      all.addAll(page.rows());
    } while (page.more() && !page.rows().isEmpty());
    return all;
  }

  /** How the volume is. */
  public VolumeFigures figures() {
    return volume.run(
        "ask how it is",
        () -> {
          Reply reply = volume.ask(new VolumeRequest.Stat());
          if (reply instanceof Reply.Volume answer) {
            return answer.figures();
          }
          throw volume.strange(reply);
        });
  }

  /**
   * Waits for a call that is on, and gives all snapshots up. They must not be used any more.
   *
   * @throws UsageException if an {@link OpenPut} is: somebody may be writing to its room, which the
   *     volume would lend to others; or if a {@link TensorMaker} closes the store that asks it
   */
  @Override
  public void close() {
    if (openPuts.get() > 0) {
      throw new UsageException(
          "%s puts of this store are open; commit or close them first".formatted(openPuts.get()));
    }
    volume.stop(); // so that a read that is given up is not asked for
    reads.abort();
    volume.close();
    reads.close();
    pulls.close();
    memory.close();
  }

  private Reply.Tensors page(String prefix, String after, int most) {
    return volume.run(
        "list tensors",
        () -> {
          Reply reply = volume.ask(new VolumeRequest.ListTensors(prefix, after, most));
          if (reply instanceof Reply.Tensors tensors) {
            return tensors;
          }
          throw volume.strange(reply);
        });
  }

  private Reply.StateDicts dictPage(String prefix, String after) {
    return volume.run(
        "list state dicts",
        () -> {
          Reply reply =
              volume.ask(new VolumeRequest.ListStateDicts(prefix, after, WireBounds.ROWS));
          if (reply instanceof Reply.StateDicts dicts) {
            return dicts;
          }
          throw volume.strange(reply);
        });
  }

  private Optional<Snapshot> newer(String name, long newerThan, int waitMs) throws IOException {
    Reply reply = volume.ask(new VolumeRequest.OpenVersion(name, Math.max(0, newerThan), waitMs));
    return reply instanceof Reply.NotYet ? Optional.empty() : Optional.of(snapshot(reply));
  }

  private Snapshot snapshot(Reply reply) {
    if (reply instanceof Reply.Leased leased) {
      return new Snapshot(volume, memory, reads, leased);
    }
    throw volume.strange(reply);
  }

  private long count(Reply reply) {
    if (reply instanceof Reply.Count count) {
      return count.value();
    }
    throw volume.strange(reply);
  }
}
