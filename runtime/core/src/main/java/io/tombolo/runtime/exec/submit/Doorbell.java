// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.Stream;

/**
 * How a stream starts operations, and waits for them where it can. Operation {@code n} uses place
 * {@code n mod places}, and that place is free again when it has ended.
 *
 * <p>One thread at a time queues starts and waits, {@linkplain #ring rings}, or closes. One at a
 * time, that which makes the agent's round, asks {@link #hasRung}. All else is for any thread.
 * Closing waits for no stream, and late streams may still pass what they were told to wait for.
 */
public sealed interface Doorbell extends AutoCloseable permits WordDoorbell, EventDoorbell {
  /** Queues on {@code stream}: start operation {@code sequence}. If this throws, nothing is. */
  void queueStart(Stream stream, long sequence);

  /** Queues on {@code stream}: wait for the end of operation {@code sequence}, if it can. */
  void queueWait(Stream stream, long sequence);

  /** Whether streams can tell the end of an operation that is work of theirs: {@link #queueEnd}. */
  boolean marksEnds();

  /** Queues on {@code stream}: operation {@code sequence} has ended; what waits for it goes on. */
  void queueEnd(Stream stream, long sequence);

  /** Whether operation {@code sequence} has ended, as a stream or {@link #release} said. */
  boolean hasEnded(long sequence);

  /**
   * Whether {@code stream} can wait, and nothing of ours waits with it; else callers have to wait
   * in its place before they queue more. For callers: the first time, this tries it; as long as
   * nobody can tell, the answer is no.
   */
  boolean holds(Stream stream);

  /** Whether {@code stream} is idle, and {@link #holds} proves that it is one of the device's. */
  boolean isIdle(Stream stream);

  /** Starts operation {@code sequence} in the place of a stream that has nothing before it. */
  void ring(long sequence);

  /** Whether the stream has reached operation {@code sequence}. */
  boolean hasRung(long sequence);

  /**
   * Lets the stream go on after operation {@code sequence}. Thread-safe: one that comes late, when
   * a later operation has had the place, undoes nothing.
   */
  void release(long sequence);

  @Override
  void close();
}
