// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import java.util.Optional;

/** A program's own key-value store that can neither wait nor keep two keys under one lock. */
public final class Shelf implements StoreCallbacks {
  private final MemoryStore values;

  /** Keeps its values in {@code values}. */
  public Shelf(MemoryStore values) {
    this.values = values;
  }

  @Override
  public void set(String key, byte[] value) {
    values.set(key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return values.get(key);
  }

  @Override
  public long add(String key, long delta) {
    return values.add(key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return values.compareSet(key, expected, desired);
  }

  @Override
  public boolean delete(String key) {
    return values.delete(key);
  }

  @Override
  public String where() {
    return "the test's shelf";
  }
}
