// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.cast.Sources;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.PlacedPut;
import io.tombolo.store.value.StridedPart;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A state dict of which this process has parts, in memory that readers reach: one hop from here to
 * theirs. The version that is shown stays as it is while the next is written beside it, so that
 * memory for two is needed; readers see a version once all holders show it, and then as a whole.
 *
 * <p>Thread-safe, but for what {@link #begin} gives.
 */
public final class Holding {
  private final Catalog catalog;
  private final Holdings holdings;
  private final MemoryFile file;
  private final String stateDict;
  private final HolderRank rank;

  Holding(Catalog catalog, Holdings holdings, MemoryFile file, String stateDict, HolderRank rank) {
    this.catalog = catalog;
    this.holdings = holdings;
    this.file = file;
    this.stateDict = stateDict;
    this.rank = rank;
  }

  /**
   * Room for the next version, which the caller fills. Nobody sees it before {@link
   * PlacedPut#commit}.
   *
   * @param version its number, higher than that of the one before; the same for all holders
   * @param parts what this process has, by the tensors' names
   * @param patience how long to wait for readers of an older version that is in the way
   * @throws io.tombolo.base.errors.ResourceException if there is no room, or not by then
   */
  public PlacedPut begin(long version, Map<String, PartSpec> parts, Duration patience) {
    return room(version, parts, patience);
  }

  private OpenHold room(long version, Map<String, PartSpec> parts, Duration patience) {
    requireVersion(version);
    ImmutableList<NamedPart> named =
        parts.entrySet().stream()
            .map(each -> named(each.getKey(), each.getValue()))
            .collect(ImmutableList.toImmutableList());
    ImmutableList<NamedSpec> specs =
        named.stream()
            .map(part -> new NamedSpec(part.tensor().name(), part.tensor().spec().part(part.box())))
            .collect(ImmutableList.toImmutableList());
    try {
      PendingPut room = catalog.awaitRoom(stateDict, specs, Deadline.after(patience));
      return new OpenHold(catalog, holdings, file, room, version, rank, named);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException(
          "interrupted while version %s of '%s' waited for room".formatted(version, stateDict), e);
    }
  }

  /**
   * Copies parts beside those that are shown, and shows them in their place.
   *
   * @see #begin
   */
  public void show(long version, Map<String, TensorPart> parts, Duration patience) {
    show(version, Sources.ofParts(parts), patience);
  }

  /** As {@link #show(long, Map, Duration)}, narrowed on the way. */
  public void show(long version, Map<String, TensorPart> parts, Cast cast, Duration patience) {
    show(version, Sources.ofParts(parts, cast), patience);
  }

  private void show(long version, Sources sources, Duration patience) {
    try (OpenHold room = room(version, sources.parts(), patience)) {
      room.commit(sources.bytes());
    }
  }

  /**
   * Shows parts where the program has them: they are not copied, and need no room. Readers get them
   * over the connection, on this host too. The program neither writes there nor gives the memory
   * back until {@link #withdraw} has returned, or the volume is closed; what it writes all the same
   * is noticed by who gets a whole part, or verifies it. Reads all of it once, for its checksums.
   *
   * @param version its number, from 1 on; the same for all holders
   * @throws UsageException if this process shows a version of the state dict already; withdraw it
   *     first
   */
  public void register(long version, Map<String, StridedPart> parts) {
    requireVersion(version);
    TensorRegistration registration = new TensorRegistration();
    ImmutableList.Builder<NamedPart> named = ImmutableList.builder();
    ImmutableList.Builder<StoredTensor> tensors = ImmutableList.builder();
    parts.forEach(
        (name, part) -> {
          named.add(named(name, new PartSpec(part.whole(), part.box())));
          tensors.add(
              new StoredTensor(
                  new NamedSpec(name, part.held().spec()),
                  new RegisteredTensor(registration, part.held())));
        });
    ImmutableList<StoredTensor> held = tensors.build();
    Catalog.checkNames(held.stream().map(StoredTensor::tensor).toList());
    holdings.show(
        stateDict, new HeldVersion(version, rank, named.build(), held, Optional.of(registration)));
  }

  /**
   * Shows nothing more, and takes from readers what they were shown, at once: their snapshots are
   * void, calls of them fail, and so do those that are on, at their end. Memory is free when this
   * returns, but for what is on its way over connections; registered tensors are the program's
   * again at once.
   */
  public void withdraw() {
    holdings.withdraw(stateDict);
  }

  private static void requireVersion(long version) {
    if (version < 1) {
      throw new UsageException("versions are numbered from 1 on, not " + version);
    }
  }

  private static NamedPart named(String name, PartSpec part) {
    TensorSpec whole = part.whole();
    return new NamedPart(new NamedSpec(name, whole), part.box());
  }
}
