// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.runtime.store.StoreCallbacks;
import java.time.Duration;
import java.util.Optional;

/**
 * A store of the program around, by the callbacks of {@code tombolo_store}. They are called through
 * {@code store.c}, which turns what they fail with into exceptions. Thread-safe as they are.
 */
final class ProgramStore implements StoreCallbacks, AutoCloseable {
  private final long store;
  private final String where;
  private final boolean waits;

  /**
   * @param store address of the copy that C keeps of the callbacks, until {@link #close}
   * @param where what the program calls it
   */
  ProgramStore(long store, String where) {
    this.store = store;
    this.where = where;
    this.waits = waits0(store);
  }

  @Override
  public void set(String key, byte[] value) {
    set0(store, key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return Optional.ofNullable(get0(store, key));
  }

  @Override
  public long add(String key, long delta) {
    return add0(store, key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return compareSet0(store, key, expected, desired);
  }

  @Override
  public void await(String key, Duration limit) throws InterruptedException {
    if (waits) {
      await0(store, key, Math.max(1, limit.toMillis()));
    } else {
      StoreCallbacks.super.await(key, limit);
    }
  }

  @Override
  public boolean delete(String key) {
    return delete0(store, key);
  }

  @Override
  public String where() {
    return where;
  }

  /** No callback is used from here on. */
  @Override
  public void close() {
    release0(store);
  }

  private static native boolean waits0(long store);

  private static native void set0(long store, String key, byte[] value);

  private static native byte[] get0(long store, String key);

  private static native long add0(long store, String key, long delta);

  private static native byte[] compareSet0(long store, String key, byte[] expected, byte[] desired);

  private static native void await0(long store, String key, long milliseconds);

  private static native boolean delete0(long store, String key);

  private static native void release0(long store);
}
