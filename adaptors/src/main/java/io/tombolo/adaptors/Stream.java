package io.tombolo.adaptors;

/**
 * A queue of device work that runs in order. Thread-safe; work is queued from one thread at a time.
 */
public interface Stream extends AutoCloseable {
  /** The vendor's own handle. */
  long nativeHandle();

  /**
   * Later work of this stream starts after everything that {@code event} recorded. Does not block.
   */
  void waitFor(Event event);

  /** Whether all queued work is done; a failed stream throws its error. Does not block. */
  boolean isIdle();

  @Override
  void close();
}
