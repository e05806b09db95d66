// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.errors.AbortedException;
import java.util.Collection;

/** Whether the waits of one view of a store may go on. Thread-safe. */
final class Waits {
  private volatile String over = "";
  private volatile boolean closed;

  /** As {@link Store#endWaits}. */
  void end(String why) {
    over = why;
  }

  void close() {
    closed = true;
  }

  /** Throws if there is nothing to wait for any more, {@code keys} among others. */
  void check(Collection<String> keys) {
    if (closed) {
      throw new AbortedException("this process left while it waited for " + Keys.quoted(keys));
    }
    if (!over.isEmpty()) {
      throw Keys.over("wait for " + Keys.quoted(keys), over);
    }
  }
}
