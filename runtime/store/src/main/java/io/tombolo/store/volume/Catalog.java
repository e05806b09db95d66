// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.FreeRanges;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.LeaseFence;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What lies where in a volume, who may see it, and who needs it: bookkeeping, which touches no
 * tensor's bytes.
 *
 * <p>What is put is visible at once and as a whole when it is committed. Its memory is used again
 * once it has neither a name nor a version nor a lease. Thread-safe.
 */
final class Catalog {
  /** Tensors of all names, versions, puts and leases: some hundred bytes each. */
  private static final int MAX_TENSORS = 1 << 20;

  private final FreeRanges ranges;
  private final int keptVersions;
  private final Consumer<StoredTensor> beforeReuse;
  private final NavigableMap<String, StoredTensor> tensors = new TreeMap<>();
  private final NavigableMap<String, StateDict> stateDicts = new TreeMap<>();
  private long highestDropped;
  private int stored;
  private final Set<StoredTensor> leaving = new LinkedHashSet<>();
  private int puts;
  private long keptBytes;
  private final Set<Lease> leases = new HashSet<>();
  private int pinned;

  /**
   * An empty volume.
   *
   * @param capacity its bytes
   * @param keptVersions of each state dict
   * @param beforeReuse told of each tensor whose room may be used for others once it returns
   */
  Catalog(long capacity, int keptVersions, Consumer<StoredTensor> beforeReuse) {
    this.ranges = new FreeRanges(capacity);
    this.keptVersions = keptVersions;
    this.beforeReuse = beforeReuse;
  }

  /**
   * Room for {@code specs}, until {@link #commit} or {@link #abort}. Waits for what a device is
   * about to let go of, if that is in the way.
   *
   * @param stateDict whose next version they will be; empty if each is put under its own name
   * @throws UsageException if there are none, or two of one name
   * @throws ResourceException if they do not all fit, or not by the deadline
   */
  synchronized PendingPut begin(String stateDict, List<NamedSpec> specs, Deadline deadline)
      throws InterruptedException {
    return awaitPlace(stateDict, specs, false, deadline);
  }

  private PendingPut place(String stateDict, List<NamedSpec> specs) {
    List<StoredTensor> placed = new ArrayList<>();
    for (NamedSpec spec : specs) {
      OptionalLong offset =
          stored + placed.size() < MAX_TENSORS
              ? ranges.take(spec.spec().sizeBytes())
              : OptionalLong.empty();
      if (offset.isEmpty()) {
        placed.forEach(each -> ranges.giveBack(each.offset(), each.sizeBytes()));
        throw noRoomFor(spec, specs);
      }
      placed.add(new StoredTensor(spec, offset.getAsLong()));
    }
    stored += placed.size();
    puts++;
    return new PendingPut(stateDict, ImmutableList.copyOf(placed));
  }

  /**
   * Room as {@link #begin} makes it, once readers have given back what is in the way.
   *
   * @throws ResourceException if that does not happen by the deadline
   */
  synchronized PendingPut awaitRoom(String stateDict, List<NamedSpec> specs, Deadline deadline)
      throws InterruptedException {
    return awaitPlace(stateDict, specs, true, deadline);
  }

  private PendingPut awaitPlace(
      String stateDict, List<NamedSpec> specs, boolean awaitsReaders, Deadline deadline)
      throws InterruptedException {
    checkNames(specs);
    while (true) {
      try {
        return place(stateDict, specs);
      } catch (ResourceException e) {
        boolean isRead = awaitsReaders && (!leases.isEmpty() || pinned > 0);
        if (leaving.isEmpty() && !isRead) {
          throw e;
        } else if (deadline.isExpired()) {
          throw new ResourceException(inTheWay(isRead, deadline) + ": " + e.getMessage(), e);
        }
      }
      wait(deadline.waitMs());
    }
  }

  private String inTheWay(boolean isRead, Deadline deadline) {
    if (leaving.isEmpty()) {
      return readersInTheWay();
    }
    StoredTensor first = leaving.iterator().next();
    String device =
        "a device has not let go of %s tensors that nobody needs any more, the first of them '%s' (%s bytes), within %s ms; try again"
            .formatted(
                leaving.size(),
                first.name(),
                first.sizeBytes(),
                TimeUnit.NANOSECONDS.toMillis(deadline.elapsedNs()));
    return isRead ? readersInTheWay() + "; " + device : device;
  }

  private String readersInTheWay() {
    return "readers have not given back what is in the way (%s leases; to withdraw the state dict takes it from them)"
        .formatted(leases.size());
  }

  /** Ends a put whose tensors are visible by other means than {@link #commit}. */
  synchronized void seal(PendingPut put, List<Integer> checksums) {
    puts--;
    for (int index = 0; index < put.tensors().size(); index++) {
      put.tensors().get(index).seal(checksums.get(index));
    }
  }

  /** Tensors that somebody sees, to be read. */
  synchronized Lease lend(
      long version, ImmutableList<StoredTensor> lent, Optional<LeaseFence> fence) {
    lent.forEach(StoredTensor::use);
    Lease lease = new Lease(version, lent, fence);
    leases.add(lease);
    return lease;
  }

  /** Ends all leases under a fence that has been dropped. */
  synchronized void revoke(LeaseFence fence, Discarded discarded) {
    List<Lease> ended = leases.stream().filter(lease -> lease.isUnder(fence)).toList();
    ended.forEach(lease -> release(lease, discarded));
  }

  /** Whether a lease has neither been released nor revoked. */
  synchronized boolean holds(Lease lease) {
    return leases.contains(lease);
  }

  /**
   * Keeps a tensor where it is until {@link #unpin}, whatever becomes of its lease; whether the
   * lease still held.
   */
  synchronized boolean pin(Lease lease, StoredTensor tensor) {
    if (!holds(lease)) {
      return false;
    }
    tensor.use();
    pinned++;
    return true;
  }

  /** Nobody reads a pinned tensor any more. */
  void unpin(StoredTensor tensor) {
    try (Discarded discarded = discarding()) {
      unpin(tensor, discarded);
    }
  }

  private synchronized void unpin(StoredTensor tensor, Discarded discarded) {
    pinned--;
    drop(List.of(tensor), discarded);
  }

  /** Tensors of a put that was sealed are seen no more. */
  synchronized void forget(List<StoredTensor> forgotten, Discarded discarded) {
    drop(forgotten, discarded);
  }

  /** For what the calls that take it leave discarded: closed outside their callers' monitors. */
  Discarded discarding() {
    return new Discarded(this, beforeReuse);
  }

  /**
   * Makes a put visible, and forgets what it replaces: tensors of equal names, or the oldest
   * version that is too many. Its version; 0 for tensors with names of their own.
   */
  long commit(PendingPut put, List<Integer> checksums) {
    try (Discarded discarded = discarding()) {
      return commit(put, checksums, discarded);
    }
  }

  /** Likewise. */
  synchronized long commit(PendingPut put, List<Integer> checksums, Discarded discarded) {
    seal(put, checksums);
    long version = put.stateDict().isEmpty() ? name(put, discarded) : addVersion(put, discarded);
    notifyAll();
    return version;
  }

  /** Forgets a put that nobody writes any more. */
  void abort(PendingPut put) {
    try (Discarded discarded = discarding()) {
      abort(put, discarded);
    }
  }

  private synchronized void abort(PendingPut put, Discarded discarded) {
    puts--;
    drop(put.tensors(), discarded);
  }

  /** Ends a put whose room a device has not let go of: that stays taken. */
  synchronized void keep(PendingPut put) {
    puts--;
    put.tensors().forEach(tensor -> keptBytes += tensor.sizeBytes());
  }

  /** The tensors of these names, to be read; {@link UsageException} if there is no such one. */
  synchronized Lease open(List<String> names) {
    ImmutableList.Builder<StoredTensor> found = ImmutableList.builder();
    for (String name : names) {
      StoredTensor tensor = tensors.get(name);
      if (tensor == null) {
        throw new UsageException(
            "no tensor is called '%s'; 'tombolo store ls' lists those there are".formatted(name));
      }
      found.add(tensor);
    }
    return lend(0, found.build(), Optional.empty());
  }

  /**
   * The newest version of {@code stateDict}, to be read, once it is newer than {@code newerThan};
   * nothing if it is not so by the deadline.
   */
  synchronized Optional<Lease> open(String stateDict, long newerThan, Deadline deadline)
      throws InterruptedException {
    while (true) {
      StateDict dict = stateDicts.get(stateDict);
      if (dict != null && dict.newest() > newerThan) {
        return Optional.of(lend(dict.newest(), dict.newestTensors(), Optional.empty()));
      }
      if (deadline.isExpired()) {
        return Optional.empty();
      }
      wait(deadline.waitMs());
    }
  }

  /** A version of {@code stateDict}, to be read; {@link UsageException} if it is not kept. */
  synchronized Lease open(String stateDict, long version) {
    StateDict dict = stateDicts.get(stateDict);
    if (dict == null) {
      throw new UsageException(
          "no state dict is called '%s'; 'tombolo store ls' lists those there are"
              .formatted(stateDict));
    }
    ImmutableList<StoredTensor> found =
        dict.tensors(version)
            .orElseThrow(
                () ->
                    new UsageException(
                        ("of state dict '%s', versions %s to %s are kept, and not %s; a volume that"
                                + " is started with more to --keep has older ones")
                            .formatted(stateDict, dict.oldest(), dict.newest(), version)));
    return lend(version, found, Optional.empty());
  }

  /** Ends a lease; harmless if it has been revoked. */
  void release(Lease lease) {
    try (Discarded discarded = discarding()) {
      release(lease, discarded);
    }
  }

  private synchronized void release(Lease lease, Discarded discarded) {
    if (leases.remove(lease)) {
      drop(lease.tensors(), discarded);
    }
  }

  /** Forgets the tensors of these names; how many there were. */
  long delete(List<String> names) {
    try (Discarded discarded = discarding()) {
      return delete(names, discarded);
    }
  }

  private synchronized long delete(List<String> names, Discarded discarded) {
    List<StoredTensor> found = new ArrayList<>();
    for (String name : names) {
      StoredTensor tensor = tensors.remove(name);
      if (tensor != null) {
        found.add(tensor);
      }
    }
    drop(found, discarded);
    return found.size();
  }

  /** Forgets a state dict; how many versions it had. */
  long drop(String stateDict) {
    try (Discarded discarded = discarding()) {
      return drop(stateDict, discarded);
    }
  }

  private synchronized long drop(String stateDict, Discarded discarded) {
    StateDict dict = stateDicts.remove(stateDict);
    if (dict == null) {
      return 0;
    }
    highestDropped = Math.max(highestDropped, dict.newest());
    dict.all().forEach(tensors -> drop(tensors, discarded));
    return dict.size();
  }

  /**
   * Tensors whose names begin with {@code prefix} and come after {@code after}; at most so many.
   */
  synchronized Reply.Tensors tensors(String prefix, String after, int most) {
    List<TensorListing> rows =
        page(tensors, prefix, after, most, entry -> entry.getValue().listing());
    return new Reply.Tensors(first(rows, most), rows.size() > most);
  }

  /** State dicts, likewise. */
  synchronized Reply.StateDicts stateDicts(String prefix, String after, int most) {
    List<StateDictListing> rows =
        page(stateDicts, prefix, after, most, entry -> entry.getValue().listing(entry.getKey()));
    return new Reply.StateDicts(first(rows, most), rows.size() > most);
  }

  /** How it is, with so many clients. */
  synchronized VolumeFigures figures(int clients) {
    return new VolumeFigures(
        ranges.capacity(),
        ranges.freeBytes(),
        ranges.largestGap(),
        keptVersions,
        clients,
        puts,
        leases.size(),
        tensors.size(),
        stateDicts.size(),
        stateDicts.values().stream().mapToInt(StateDict::size).sum());
  }

  private long name(PendingPut put, Discarded discarded) {
    for (StoredTensor tensor : put.tensors()) {
      StoredTensor replaced = tensors.put(tensor.name(), tensor);
      if (replaced != null) {
        drop(List.of(replaced), discarded);
      }
    }
    return 0;
  }

  /** Numbers go on where a dropped state dict ended: who has seen one never takes it for newer. */
  private long addVersion(PendingPut put, Discarded discarded) {
    StateDict dict = stateDicts.computeIfAbsent(put.stateDict(), name -> new StateDict());
    long version = 1 + (dict.size() == 0 ? highestDropped : dict.newest());
    dict.add(version, put.tensors());
    while (dict.size() > keptVersions) {
      drop(dict.removeOldest(), discarded);
    }
    return version;
  }

  private void drop(List<StoredTensor> dropped, Discarded discarded) {
    for (StoredTensor tensor : dropped) {
      if (tensor.isUnused() && tensor.registered().isEmpty()) {
        discarded.add(tensor);
        leaving.add(tensor);
      }
    }
    notifyAll(); // who waits for readers
  }

  /** Room that may be used for others, of tensors that were about to give theirs back. */
  synchronized void giveBack(List<StoredTensor> free, List<StoredTensor> left) {
    for (StoredTensor tensor : free) {
      ranges.giveBack(tensor.offset(), tensor.sizeBytes());
    }
    stored -= free.size();
    left.forEach(leaving::remove);
    notifyAll(); // who waits for room
  }

  /** Refuses tensors without a name, two of one name, and none at all. */
  static void checkNames(List<NamedSpec> specs) {
    Set<String> names = new HashSet<>();
    for (NamedSpec spec : specs) {
      if (spec.name().isEmpty() || !names.add(spec.name())) {
        throw new UsageException(
            spec.name().isEmpty()
                ? "a tensor has no name"
                : "two tensors of one put are called '%s'".formatted(spec.name()));
      }
    }
    if (specs.isEmpty()) {
      throw new UsageException("a put of no tensors");
    }
  }

  private ResourceException noRoomFor(NamedSpec spec, List<NamedSpec> specs) {
    String kept =
        keptBytes == 0
            ? ""
            : "; a device keeps %s bytes of puts that failed, until the volume is started anew"
                .formatted(keptBytes);
    BigInteger wanted =
        specs.stream()
            .map(each -> BigInteger.valueOf(each.spec().sizeBytes()))
            .reduce(BigInteger.ZERO, BigInteger::add);
    return new ResourceException(
        ("no room for '%s' (%s): the put wants %s bytes; of %s bytes %s are free, the largest gap"
                + " has %s, and %s of at most %s tensors are there; delete some, keep fewer"
                + " versions, or start the volume with more --memory%s")
            .formatted(
                spec.name(),
                spec.spec(),
                wanted,
                ranges.capacity(),
                ranges.freeBytes(),
                ranges.largestGap(),
                stored,
                MAX_TENSORS,
                kept));
  }

  private static <V, R> List<R> page(
      NavigableMap<String, V> all,
      String prefix,
      String after,
      int most,
      Function<Map.Entry<String, V>, R> row) {
    boolean fromStart = after.compareTo(prefix) < 0;
    return all.tailMap(fromStart ? prefix : after, fromStart).entrySet().stream()
        .takeWhile(entry -> entry.getKey().startsWith(prefix))
        .limit(most + 1L)
        .map(row)
        .toList();
  }

  private static <R> ImmutableList<R> first(List<R> rows, int most) {
    return ImmutableList.copyOf(rows.subList(0, Math.min(rows.size(), most)));
  }
}
