// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import java.util.Collection;
import java.util.Optional;

/** The keys of another store that begin with one prefix. */
final class PrefixStore implements Store {
  private final Store store;
  private final String prefix;
  private final Runnable onClose;

  PrefixStore(Store store, String prefix, Runnable onClose) {
    this.store = store;
    this.prefix = prefix + "/";
    this.onClose = onClose;
  }

  @Override
  public void set(String key, byte[] value) {
    store.set(prefix + key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return store.get(prefix + key);
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    return store.awaitAll(keys.stream().map(prefix::concat).toList(), deadline);
  }

  @Override
  public long add(String key, long delta) {
    return store.add(prefix + key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return store.compareSet(prefix + key, expected, desired);
  }

  @Override
  public boolean delete(String key) {
    return store.delete(prefix + key);
  }

  @Override
  public void endWaits(String why) {
    store.endWaits(why);
  }

  @Override
  public Store borrowed() {
    return store.borrowed().narrowedTo(prefix.substring(0, prefix.length() - 1));
  }

  @Override
  public String where() {
    return store.where();
  }

  @Override
  public void close() {
    onClose.run();
  }
}
