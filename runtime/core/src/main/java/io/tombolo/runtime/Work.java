package io.tombolo.runtime;

import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.Optional;

/**
 * One operation on its way. Thread-safe.
 *
 * <p>The stream that the call named waits for the result by itself; host code that wants it uses
 * {@link #await}. The buffers belong to the caller again once the work is done.
 */
public interface Work {
  /** Whether the operation has ended, well or not. Does not block. */
  boolean isDone();

  /**
   * Waits until the operation has ended.
   *
   * @throws TomboloException the operation's error, or {@link
   *     io.tombolo.base.errors.DeadlineExceededException} if it has not ended within {@code
   *     timeout}; it then goes on
   */
  void await(Duration timeout);

  /** The operation's error, if it ended with one. Does not block. */
  Optional<TomboloException> error();

  /**
   * Gives the operation up, and with it the communicator: the others' operations fail too. Does not
   * block.
   */
  void abort();

  /** Nanoseconds from the moment the stream reached the call to the end; 0 before the end. */
  long durationNs();
}
