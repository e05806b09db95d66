// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import java.util.concurrent.locks.LockSupport;

/**
 * Tells whether a stream is idle where the runtime cannot be asked: by an event behind the last
 * work that was queued through the stream's object, or, on a caller's own stream, behind whatever
 * is there when somebody asks. An event takes a moment to pass even on an idle stream; so such a
 * stream may be idle and not say so the first time.
 *
 * <p>Thread-safe.
 */
final class StreamEnd implements AutoCloseable {
  /** How long to wait for an event that an idle stream would pass. */
  private static final long MOMENT_NS = 100_000;

  private static final long GLANCE_NS = 1_000;

  private final long event;
  private final boolean foreign;
  private boolean moved;

  /** The end of a stream that this event marks; others queue on it too if it is foreign. */
  StreamEnd(long event, boolean foreign) {
    this.event = event;
    this.foreign = foreign;
  }

  /** There may be work behind the event. */
  synchronized void move() {
    moved = true;
  }

  /** Whether the stream has come to its end, as far as it is known. */
  synchronized boolean isReached(long stream) {
    if (!DeviceLibrary.isDone(event)) {
      return false;
    }
    if (moved || foreign) {
      DeviceLibrary.record(event, stream);
      moved = false;
    }
    boolean done = DeviceLibrary.isDone(event);
    for (long start = System.nanoTime(); !done && System.nanoTime() - start < MOMENT_NS; ) {
      LockSupport.parkNanos(GLANCE_NS);
      done = DeviceLibrary.isDone(event);
    }
    return done;
  }

  @Override
  public void close() {
    DeviceLibrary.closeEvent(event);
  }
}
