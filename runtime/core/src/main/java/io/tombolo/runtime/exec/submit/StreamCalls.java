// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The operations that their callers queue on their streams as calls of a library, which is called
 * on one stream at a time. {@link #mayFollow}, {@link #add} and {@link #isBefore} are for one
 * thread at a time, the rest for all.
 */
final class StreamCalls {
  private final Doorbell doorbell;
  private final AtomicInteger count = new AtomicInteger();
  private Stream lastStream;

  /** The last of them; null before the first. */
  private volatile SubmittedOperation last;

  /** {@code doorbell} knows the end of each. */
  StreamCalls(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  /** Whether a call on {@code stream} may be the next. */
  boolean mayFollow(Stream stream) {
    return last == null
        || doorbell.hasEnded(last.sequence())
        || (stream.equals(lastStream) && !last.isHeldByCaller());
  }

  /** Its caller is about to queue {@code operation} on {@code stream}. */
  void add(SubmittedOperation operation, Stream stream) {
    lastStream = stream;
    last = operation;
    count.incrementAndGet();
  }

  /** Whether {@code operation} is one of them, and has ended or is queued on {@code stream}. */
  boolean isBefore(SubmittedOperation operation, Stream stream) {
    return operation.isOnStream()
        && (doorbell.hasEnded(operation.sequence()) || stream.equals(lastStream));
  }

  /** One of them has ended. */
  void remove() {
    count.decrementAndGet();
  }

  /** Whether some have not ended. */
  boolean areUnderWay() {
    return count.get() > 0;
  }

  /** Whether a caller is in the library. */
  boolean isCallerInside() {
    SubmittedOperation now = last;
    return now != null && now.isHeldByCaller();
  }
}
