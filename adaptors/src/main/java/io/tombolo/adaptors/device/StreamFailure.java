// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.base.errors.AbortedException;
import java.util.concurrent.atomic.AtomicReference;

/** What a stream's own work has thrown, for those who look at the stream. Thread-safe. */
final class StreamFailure {
  private final AtomicReference<Throwable> first = new AtomicReference<>();

  /** The stream has failed; of several causes the first is told. */
  void set(Throwable cause) {
    first.compareAndSet(null, cause);
  }

  /** Throws what the stream has failed with, if it has. */
  void ensureNone() {
    Throwable cause = first.get();
    if (cause != null) {
      throw cause instanceof RuntimeException known
          ? known
          : new AbortedException("the stream failed: " + cause, cause);
    }
  }
}
