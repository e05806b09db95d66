// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceFeature;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import java.util.Optional;

/** A stream of a {@link DeviceRuntime}: the library's, or a caller's. */
final class RuntimeStream implements Stream {
  private final RuntimeDevice device;
  private final long handle;
  private final long nativeHandle;
  private final Optional<StreamEnd> end;
  private final boolean isTheLibrarys;
  private final StreamFailure failure = new StreamFailure();
  private volatile boolean isOfContext;
  private volatile boolean closed;

  private RuntimeStream(
      RuntimeDevice device,
      long handle,
      long nativeHandle,
      Optional<StreamEnd> end,
      boolean isTheLibrarys,
      boolean isOfContext) {
    this.device = device;
    this.handle = handle;
    this.nativeHandle = nativeHandle;
    this.end = end;
    this.isTheLibrarys = isTheLibrarys;
    this.isOfContext = isOfContext;
  }

  /**
   * One that was made here, for the library itself or for a caller; {@code end} tells whether it is
   * idle, where the runtime does not.
   */
  static RuntimeStream own(
      RuntimeDevice device, long handle, Optional<StreamEnd> end, boolean isTheLibrarys) {
    long nativeHandle = DeviceLibrary.nativeStream(handle);
    return new RuntimeStream(device, handle, nativeHandle, end, isTheLibrarys, true);
  }

  /**
   * One that the caller made, of whatever context, which the vendor calls {@code nativeHandle};
   * {@code end} as above.
   */
  static RuntimeStream foreign(
      RuntimeDevice device, long handle, long nativeHandle, Optional<StreamEnd> end) {
    return new RuntimeStream(device, handle, nativeHandle, end, false, false);
  }

  /** For queuing work; throws what the stream has failed with. */
  static long handleOf(Stream stream) {
    checkArgument(
        stream instanceof RuntimeStream, "a stream of another kind of device: %s", stream);
    return ((RuntimeStream) stream).soundHandle();
  }

  /** As {@link RuntimeDevice#objection}. */
  Optional<String> objection(RuntimeDevice user) {
    if (closed) {
      return Optional.of("is closed");
    }
    if (!device.isSame(user)) {
      return Optional.of("is one of " + device.place());
    }
    isOfContext = isOfContext || DeviceLibrary.isOfContext(openHandle());
    return isOfContext
        ? Optional.empty()
        : Optional.of("is one of another device or context than " + device.place());
  }

  /**
   * Throws what the device says that it has failed with. A caller's is not asked: it may be
   * captured by now, which the question would break, or be gone.
   */
  void ensureSound() {
    if (isTheLibrarys && !closed) {
      boolean unused = DeviceLibrary.isIdle(handle, 0);
    }
  }

  private long soundHandle() {
    failure.ensureNone();
    return openHandle();
  }

  /** The shim takes its word for what it is: a handle that was given back would be a crash. */
  private long openHandle() {
    ensureOpen();
    return handle;
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("this stream is closed");
    }
  }

  /** Work has been queued on {@code stream}. */
  static void queued(Stream stream) {
    ((RuntimeStream) stream).end.ifPresent(StreamEnd::move);
  }

  @Override
  public long nativeHandle() {
    queued(this); // whoever gets it may be about to
    ensureOpen();
    return nativeHandle;
  }

  @Override
  public void waitFor(Event event) {
    DeviceLibrary.waitEvent(soundHandle(), RuntimeEvent.handleOf(event));
    queued(this);
  }

  @Override
  public void launchHostFunction(Runnable function) {
    device.require(DeviceFeature.HOST_FUNCTIONS);
    DeviceLibrary.callHost(soundHandle(), () -> run(function));
    queued(this);
  }

  /** On the vendor's thread. Of a stream that is closed, nobody else would learn of the failure. */
  private void run(Runnable function) {
    try {
      function.run();
    } catch (Throwable e) { // nothing may unwind into the vendor
      failure.set(e);
      if (closed) {
        Thread current = Thread.currentThread();
        current.getUncaughtExceptionHandler().uncaughtException(current, e);
      }
    }
  }

  @Override
  public boolean isIdle() {
    return isIdleWithin(0);
  }

  /** A look from here costs more than one that the shim adds to it. */
  @Override
  public boolean isIdleWithin(long patienceNs) {
    long sound = soundHandle();
    boolean idle =
        end.isPresent() ? end.get().isReached(sound) : DeviceLibrary.isIdle(sound, patienceNs);
    failure.ensureNone(); // what ended since the first look may have ended by failing
    return idle;
  }

  @Override
  public boolean isCapturing() {
    return DeviceLibrary.isCapturing(openHandle());
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    DeviceLibrary.closeStream(handle);
    end.ifPresent(StreamEnd::close);
  }
}
