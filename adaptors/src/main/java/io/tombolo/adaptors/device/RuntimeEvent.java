// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/**
 * An event of a {@link DeviceRuntime}. Where events of failed work are done, and no error, the
 * stream that it was recorded on last is asked as well, if it is the library's.
 */
final class RuntimeEvent implements Event {
  private final long handle;
  private final boolean tellsFailures;

  /** Null where nothing was recorded, or the event tells all by itself. */
  private volatile RuntimeStream recordedOn;

  RuntimeEvent(long handle, boolean tellsFailures) {
    this.handle = handle;
    this.tellsFailures = tellsFailures;
  }

  static long handleOf(Event event) {
    checkArgument(event instanceof RuntimeEvent, "an event of another kind of device: %s", event);
    return ((RuntimeEvent) event).handle;
  }

  @Override
  public void record(Stream stream) {
    long queue = RuntimeStream.handleOf(stream);
    RuntimeStream before = recordedOn;
    if (!tellsFailures) {
      recordedOn = (RuntimeStream) stream; // before: another thread may be asking meanwhile
    }
    try {
      DeviceLibrary.record(handle, queue);
    } catch (RuntimeException e) {
      recordedOn = before;
      throw e;
    }
  }

  @Override
  public boolean isDone() {
    boolean done = DeviceLibrary.isDone(handle);
    RuntimeStream stream = recordedOn;
    if (done && stream != null) {
      stream.ensureSound();
    }
    return done;
  }

  @Override
  public void close() {
    DeviceLibrary.closeEvent(handle);
  }
}
