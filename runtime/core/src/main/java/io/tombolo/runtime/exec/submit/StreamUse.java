// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

/** What a call finds of its stream, before it queues anything there. */
public enum StreamUse {
  /** Nothing is pending, and it may be held. */
  IDLE_AND_HELD(true, true),
  /** Nothing is pending; it may not be held, so callers wait in its place. */
  IDLE_AND_FREE(true, false),
  /** It may be held. */
  BUSY_AND_HELD(false, true),
  /** It may not be held, so callers wait in its place. */
  BUSY_AND_FREE(false, false);

  private final boolean idle;
  private final boolean held;

  StreamUse(boolean idle, boolean held) {
    this.idle = idle;
    this.held = held;
  }

  static StreamUse of(boolean idle, boolean held) {
    if (held) {
      return idle ? IDLE_AND_HELD : BUSY_AND_HELD;
    }
    return idle ? IDLE_AND_FREE : BUSY_AND_FREE;
  }

  /** Whether it is one of the device's, as is known, with nothing pending. */
  boolean isIdle() {
    return idle;
  }

  /** Whether it may be held until an operation has ended. */
  public boolean isHeld() {
    return held;
  }
}
