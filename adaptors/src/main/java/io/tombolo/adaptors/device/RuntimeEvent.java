// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/** An event of a {@link DeviceRuntime}. */
final class RuntimeEvent implements Event {
  private final long handle;

  RuntimeEvent(long handle) {
    this.handle = handle;
  }

  static long handleOf(Event event) {
    checkArgument(event instanceof RuntimeEvent, "an event of another kind of device: %s", event);
    return ((RuntimeEvent) event).handle;
  }

  @Override
  public void record(Stream stream) {
    DeviceLibrary.record(handle, RuntimeStream.handleOf(stream));
  }

  @Override
  public boolean isDone() {
    return DeviceLibrary.isDone(handle);
  }

  @Override
  public void close() {
    DeviceLibrary.closeEvent(handle);
  }
}
