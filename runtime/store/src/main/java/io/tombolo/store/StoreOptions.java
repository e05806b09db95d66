// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.Optional;

/**
 * How a process uses a store.
 *
 * @param timeout how long nothing may move before a call fails, and how long a call waits for those
 *     of other threads; at least 10 ms
 * @param sharesMemory whether bytes are copied straight from and to the volume's memory, where that
 *     is on this host
 * @param reads by which what is not shared is read from the volume's memory, and what is put by the
 *     volume from this process's, where both have a device for that; all else takes the connection
 */
public record StoreOptions(Duration timeout, boolean sharesMemory, Optional<OneSidedReads> reads) {
  private static final Duration LEAST = Duration.ofMillis(10);

  /** Checks the timeout. */
  public StoreOptions {
    if (timeout.compareTo(LEAST) < 0) {
      throw new UsageException("a timeout is at least 10 ms, not " + timeout.toMillis());
    }
  }

  /** Without one-sided reads. */
  public StoreOptions(Duration timeout, boolean sharesMemory) {
    this(timeout, sharesMemory, Optional.empty());
  }

  /** 30 s, and shared memory where there is some. */
  public static StoreOptions defaults() {
    return new StoreOptions(Duration.ofSeconds(30), true);
  }

  /** This, as if no memory were shared. */
  public StoreOptions withoutSharedMemory() {
    return new StoreOptions(timeout, false, reads);
  }

  /** This, with another timeout. */
  public StoreOptions withTimeout(Duration newTimeout) {
    return new StoreOptions(newTimeout, sharesMemory, reads);
  }

  /**
   * This, with one-sided reads, which the caller closes after all that uses these options. A volume
   * that is put to may read all that is exposed by {@code device}: those of several tokens have one
   * each, and none of them that of a volume which is served by this process.
   */
  public StoreOptions withReads(OneSidedReads device) {
    return new StoreOptions(timeout, sharesMemory, Optional.of(device));
  }
}
