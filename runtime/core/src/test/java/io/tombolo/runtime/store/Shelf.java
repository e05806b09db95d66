// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** A program's own key-value store that can neither wait nor keep two keys under one lock. */
public class Shelf implements StoreCallbacks {
  private final MemoryStore values;
  private final Set<String> keys = new ConcurrentSkipListSet<>();

  /** Keeps its values in {@code values}. */
  public Shelf(MemoryStore values) {
    this.values = values;
  }

  @Override
  public void set(String key, byte[] value) {
    keys.add(key);
    values.set(key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return values.get(key);
  }

  @Override
  public long add(String key, long delta) {
    keys.add(key);
    return values.add(key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    byte[] now = values.compareSet(key, expected, desired);
    if (values.get(key).isPresent()) {
      keys.add(key);
    }
    return now;
  }

  @Override
  public boolean delete(String key) {
    keys.remove(key);
    return values.delete(key);
  }

  /** The keys that have been set here, and not deleted. */
  public Set<String> keys() {
    return ImmutableSortedSet.copyOf(keys);
  }

  @Override
  public String where() {
    return "the test's shelf";
  }
}
