package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/** A stream of a {@link DeviceRuntime}, ours or the caller's. */
final class RuntimeStream implements Stream {
  private final long handle;

  RuntimeStream(long handle) {
    this.handle = handle;
  }

  static long handleOf(Stream stream) {
    checkArgument(
        stream instanceof RuntimeStream, "a stream of another kind of device: %s", stream);
    return ((RuntimeStream) stream).handle;
  }

  @Override
  public long nativeHandle() {
    return DeviceLibrary.nativeStream(handle);
  }

  @Override
  public void waitFor(Event event) {
    DeviceLibrary.waitEvent(handle, RuntimeEvent.handleOf(event));
  }

  @Override
  public boolean isIdle() {
    return DeviceLibrary.isIdle(handle);
  }

  @Override
  public void close() {
    DeviceLibrary.closeStream(handle);
  }
}
