// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.errors.UsageException;
import java.time.Duration;

/**
 * How a process uses a store.
 *
 * @param timeout how long nothing may move before a call fails, and how long a call waits for those
 *     of other threads; at least 10 ms
 * @param sharesMemory whether bytes are copied straight from and to the volume's memory, where that
 *     is on this host; else they always take the connection
 */
public record StoreOptions(Duration timeout, boolean sharesMemory) {
  private static final Duration LEAST = Duration.ofMillis(10);

  /** Checks the timeout. */
  public StoreOptions {
    if (timeout.compareTo(LEAST) < 0) {
      throw new UsageException("a timeout is at least 10 ms, not " + timeout.toMillis());
    }
  }

  /** 30 s, and shared memory where there is some. */
  public static StoreOptions defaults() {
    return new StoreOptions(Duration.ofSeconds(30), true);
  }

  /** This, with all bytes over the connection. */
  public StoreOptions withoutSharedMemory() {
    return new StoreOptions(timeout, false);
  }

  /** This, with another timeout. */
  public StoreOptions withTimeout(Duration newTimeout) {
    return new StoreOptions(newTimeout, sharesMemory);
  }
}
