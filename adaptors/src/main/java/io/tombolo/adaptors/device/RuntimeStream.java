package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import java.util.Optional;

/** A stream of a {@link DeviceRuntime}, ours or the caller's. */
final class RuntimeStream implements Stream {
  private final long handle;
  private final Optional<StreamEnd> end;

  /** {@code end} tells whether it is idle, where the runtime does not. */
  RuntimeStream(long handle, Optional<StreamEnd> end) {
    this.handle = handle;
    this.end = end;
  }

  static long handleOf(Stream stream) {
    checkArgument(
        stream instanceof RuntimeStream, "a stream of another kind of device: %s", stream);
    return ((RuntimeStream) stream).handle;
  }

  /** Work has been queued on {@code stream}. */
  static void queued(Stream stream) {
    ((RuntimeStream) stream).end.ifPresent(StreamEnd::move);
  }

  @Override
  public long nativeHandle() {
    queued(this); // whoever gets it may be about to
    return DeviceLibrary.nativeStream(handle);
  }

  @Override
  public void waitFor(Event event) {
    DeviceLibrary.waitEvent(handle, RuntimeEvent.handleOf(event));
    queued(this);
  }

  @Override
  public boolean isIdle() {
    return end.isPresent() ? end.get().isReached(handle) : DeviceLibrary.isIdle(handle);
  }

  @Override
  public void close() {
    DeviceLibrary.closeStream(handle);
    end.ifPresent(StreamEnd::close);
  }
}
