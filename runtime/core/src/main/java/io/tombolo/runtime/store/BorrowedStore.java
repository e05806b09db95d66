// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * A view of another's store with waits of its own: they go on in slices, and each looks whether
 * they are to end.
 */
final class BorrowedStore implements Store {
  private static final long SLICE_NS = Duration.ofMillis(250).toNanos();

  private final Store store;
  private final Waits waits = new Waits();

  BorrowedStore(Store store) {
    this.store = store;
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    while (true) {
      long sliceNs = Math.min(SLICE_NS, deadline.remainingNs());
      try {
        return store.awaitAll(keys, Deadline.after(Duration.ofNanos(Math.max(0, sliceNs))));
      } catch (DeadlineExceededException e) {
        waits.check("wait for " + Keys.quoted(keys));
        if (deadline.isExpired()) {
          throw Keys.notSet(
              keys.stream().filter(key -> get(key).isEmpty()).toList(), where(), deadline);
        }
      }
    }
  }

  @Override
  public void set(String key, byte[] value) {
    store.set(key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return store.get(key);
  }

  @Override
  public long add(String key, long delta) {
    return store.add(key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return store.compareSet(key, expected, desired);
  }

  @Override
  public boolean delete(String key) {
    return store.delete(key);
  }

  @Override
  public void endWaits(String why) {
    waits.end(why);
  }

  @Override
  public Store borrowed() {
    return new BorrowedStore(store);
  }

  @Override
  public String where() {
    return store.where();
  }

  @Override
  public void close() {
    waits.close();
  }
}
