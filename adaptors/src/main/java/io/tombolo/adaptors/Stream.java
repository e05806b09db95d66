// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/**
 * A queue of device work that runs in order. Thread-safe; work is queued from one thread at a time.
 */
public interface Stream extends AutoCloseable {
  /** The vendor's own handle. */
  long nativeHandle();

  /**
   * Later work of this stream starts after everything that {@code event} recorded, one of {@link
   * DeviceAdaptor#newAwaitedEvent}. Does not block.
   */
  void waitFor(Event event);

  /**
   * Queues {@code function}: it runs on the host when all earlier work of this stream is done, and
   * later work starts after it ({@link DeviceFeature#HOST_FUNCTIONS}). It runs on a thread of the
   * vendor's, which may be that of all streams: it must be short, wait for nothing, and call
   * nothing of a device. What it throws fails the stream, as its later calls say; work that is
   * queued by then may run all the same. Does not block.
   */
  void launchHostFunction(Runnable function);

  /** Whether all queued work is done; a failed stream throws its error. Does not block. */
  boolean isIdle();

  /**
   * As {@link #isIdle}, for who would ask again at once: where that is cheaper, the calling thread
   * looks again and again for {@code patienceNs}, and lets others have its core between two looks.
   * Other streams are asked once.
   */
  default boolean isIdleWithin(long patienceNs) {
    return isIdle();
  }

  /**
   * Whether it is being captured into a graph: what is queued on it then does not run, but whenever
   * the graph does. Asking is harmless to the capture. False where the runtime has no captures, or
   * no call for this. Does not block.
   */
  default boolean isCapturing() {
    return false;
  }

  @Override
  void close();
}
