// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.value.StateDictListing;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The versions of a state dict that are kept; at least one. Guarded by its catalogue. */
final class StateDict {
  private final NavigableMap<Long, ImmutableList<StoredTensor>> versions = new TreeMap<>();

  void add(long version, ImmutableList<StoredTensor> tensors) {
    versions.put(version, tensors);
  }

  /** The oldest version, which is then not kept any more. */
  ImmutableList<StoredTensor> removeOldest() {
    return versions.pollFirstEntry().getValue();
  }

  int size() {
    return versions.size();
  }

  long newest() {
    return versions.lastKey();
  }

  ImmutableList<StoredTensor> newestTensors() {
    return versions.lastEntry().getValue();
  }

  long oldest() {
    return versions.firstKey();
  }

  /** Those of a version; empty if it is not kept. */
  Optional<ImmutableList<StoredTensor>> tensors(long version) {
    return Optional.ofNullable(versions.get(version));
  }

  Collection<ImmutableList<StoredTensor>> all() {
    return versions.values();
  }

  StateDictListing listing(String name) {
    Map.Entry<Long, ImmutableList<StoredTensor>> last = versions.lastEntry();
    return new StateDictListing(
        name,
        oldest(),
        last.getKey(),
        last.getValue().size(),
        last.getValue().stream().mapToLong(StoredTensor::sizeBytes).sum());
  }
}
