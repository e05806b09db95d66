// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.runtime.store.StoreCallbacks;
import java.time.Duration;
import java.util.Optional;

/**
 * A store of the program around, by the callbacks of {@code tombolo_store}. They are called through
 * {@code store.c}, which turns what they fail with into exceptions. Thread-safe as they are;
 * threads of the communicator may still come when it is closed, and are turned away.
 */
final class ProgramStore implements StoreCallbacks, AutoCloseable {
  private final long store;
  private final String where;
  private final boolean waits;
  private final StoreGate gate;

  /**
   * @param store address of the copy that C keeps of the callbacks, until {@link #close}
   * @param where what the program calls it
   */
  ProgramStore(long store, String where) {
    this.store = store;
    this.where = where;
    this.waits = waits0(store);
    this.gate = new StoreGate(where);
  }

  @Override
  public void set(String key, byte[] value) {
    gate.inside(
        () -> {
          set0(store, key, value);
          return true;
        });
  }

  @Override
  public Optional<byte[]> get(String key) {
    return gate.inside(() -> Optional.ofNullable(get0(store, key)));
  }

  @Override
  public long add(String key, long delta) {
    return gate.inside(() -> add0(store, key, delta));
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return gate.inside(() -> compareSet0(store, key, expected, desired));
  }

  @Override
  public void await(String key, Duration limit) throws InterruptedException {
    if (waits) {
      gate.inside(
          () -> {
            await0(store, key, Math.max(1, limit.toMillis()));
            return true;
          });
    } else {
      StoreCallbacks.super.await(key, limit);
    }
  }

  @Override
  public boolean delete(String key) {
    return gate.inside(() -> delete0(store, key));
  }

  @Override
  public String where() {
    return where;
  }

  /** No callback is used from here on. Waits for those that are in use: end their waits before. */
  @Override
  public void close() {
    gate.shut(() -> release0(store));
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
