// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A program's word that its memory stays as it is, until it takes that back. Thread-safe: of any
 * number of threads that read, none does so any more once {@link #end} has returned.
 */
final class TensorRegistration {
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean ended;

  /** Runs a short copy out of that memory; false, and it is not run, if that has ended. */
  boolean read(Runnable copy) {
    Lock reading = lock.readLock();
    reading.lock();
    try {
      if (!ended) {
        copy.run();
      }
      return !ended;
    } finally {
      reading.unlock();
    }
  }

  /** The memory is its program's again. Waits only for the copies that are being made. */
  void end() {
    Lock writing = lock.writeLock();
    writing.lock();
    try {
      ended = true;
    } finally {
      writing.unlock();
    }
  }
}
