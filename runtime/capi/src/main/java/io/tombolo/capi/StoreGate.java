// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.errors.AbortedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Keeps calls away from native memory that is gone: they go through until it is shut, and who shuts
 * it waits for those that are inside. Thread-safe; a call must not shut the gate that it is in.
 */
final class StoreGate {
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final AtomicBoolean shut = new AtomicBoolean();
  private final String where;

  /** The gate of {@code where}, for messages. */
  StoreGate(String where) {
    this.where = where;
  }

  /**
   * What {@code call} returns.
   *
   * @throws AbortedException if the gate was shut; {@code call} is not made then
   */
  <T> T inside(Supplier<T> call) {
    requireOpen(); // those who come late need not wait for who is inside
    lock.readLock().lock();
    try {
      requireOpen();
      return call.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  private void requireOpen() {
    if (shut.get()) {
      throw new AbortedException(
          where + " is used no more: the communicator that met there closed");
    }
  }

  /** Lets nobody in any more, waits for those inside, and then makes {@code last}, but once. */
  void shut(Runnable last) {
    if (shut.compareAndSet(false, true)) {
      lock.writeLock().lock();
      try {
        last.run();
      } finally {
        lock.writeLock().unlock();
      }
    }
  }
}
