// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Source;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.PlacedPut;
import io.tombolo.store.wire.NamedPart;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Room for the next version of what this process holds, in its own memory. */
final class OpenHold implements PlacedPut {
  private final Catalog catalog;
  private final Holdings holdings;
  private final MemoryFile file;
  private final PendingPut room;
  private final long version;
  private final HolderRank rank;
  private final ImmutableList<NamedPart> parts;
  private final ImmutableMap<String, StoredTensor> byName;
  private final Map<String, Integer> given = new HashMap<>();
  private boolean ended;

  OpenHold(
      Catalog catalog,
      Holdings holdings,
      MemoryFile file,
      PendingPut room,
      long version,
      HolderRank rank,
      ImmutableList<NamedPart> parts) {
    this.catalog = catalog;
    this.holdings = holdings;
    this.file = file;
    this.room = room;
    this.version = version;
    this.rank = rank;
    this.parts = parts;
    this.byName = Maps.uniqueIndex(room.tensors(), StoredTensor::name);
  }

  @Override
  public long address(String name) {
    return address(tensor(name));
  }

  @Override
  public void setChecksum(String name, int checksum) {
    requireOpen();
    given.put(tensor(name).name(), checksum);
  }

  @Override
  public long commit() {
    return commit(this::checksum);
  }

  /** Copies all to where they belong, and commits: each byte is summed up while it is at hand. */
  void commit(Map<String, Source> bytes) {
    commit(tensor -> bytes.get(tensor.name()).copyTo(address(tensor)));
  }

  private long commit(Function<StoredTensor, Integer> checksum) {
    requireOpen();
    ImmutableList<Integer> checksums =
        room.tensors().stream().map(checksum).collect(ImmutableList.toImmutableList());
    ended = true;
    catalog.seal(room, checksums);
    holdings.show(
        room.stateDict(), new HeldVersion(version, rank, parts, room.tensors(), Optional.empty()));
    return version;
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      catalog.abort(room);
    }
  }

  private void requireOpen() {
    if (ended) {
      throw new UsageException("this put has been committed, or given up");
    }
  }

  private StoredTensor tensor(String name) {
    StoredTensor tensor = byName.get(name);
    if (tensor == null) {
      throw new UsageException("no tensor of this put is called '" + name + "'");
    }
    return tensor;
  }

  private int checksum(StoredTensor tensor) {
    Integer known = given.get(tensor.name());
    return known != null ? known : Checksum.of(address(tensor), tensor.sizeBytes());
  }

  private long address(StoredTensor tensor) {
    return file.memory().address(tensor.offset(), tensor.sizeBytes());
  }
}
