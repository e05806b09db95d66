// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.errors.AbortedException;

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

  boolean areOver() {
    return closed || !over.isEmpty();
  }

  /** Throws if there is nothing to {@code what} for any more: {@code wait for 'k'}. */
  void check(String what) {
    if (closed) {
      throw new AbortedException("this process left, so it could not " + what);
    }
    if (!over.isEmpty()) {
      throw Keys.over(what, over);
    }
  }
}
