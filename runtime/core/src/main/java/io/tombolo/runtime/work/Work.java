// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * One operation on its way. Thread-safe.
 *
 * <p>The stream that the call named waits for the result by itself; host code that wants it uses
 * {@link #await}. There is no taking back of one call, as other ranks are in it: {@link #abort}
 * ends the communicator.
 */
public interface Work {
  /** Whether the operation has ended, well or not. Does not block. */
  boolean isDone();

  /**
   * Waits until the operation has ended, and moves operations forward meanwhile.
   *
   * @throws TomboloException the operation's error, or {@link
   *     io.tombolo.base.errors.DeadlineExceededException} if it has not ended within {@code
   *     timeout}, {@link io.tombolo.base.errors.AbortedException} if this thread was interrupted;
   *     with the advice {@link io.tombolo.base.errors.Advice#WAIT} as it then goes on
   */
  void await(Duration timeout);

  /**
   * As the other, for as long as the operation may take: its timeout to be reached by its stream,
   * as long again to run, and some seconds for who may name the cause of a failure.
   */
  void await();

  /**
   * The end of the operation as a stage to hang other work on: this work if it ended well, else its
   * error. What is hung on it runs on {@link java.util.concurrent.ForkJoinPool#commonPool}, never
   * on a thread that moves operations forward. Does not block.
   */
  CompletionStage<Work> completion();

  /** The operation's error, if it ended with one. Does not block. */
  Optional<TomboloException> error();

  /**
   * Gives the operation up, and with it the communicator: the others' operations fail too. Does not
   * block.
   */
  void abort();

  /**
   * Has {@code stream} wait until the operation has ended, well or not; for calls whose own stream
   * does not, and for other streams. Does not block; but where {@code stream} cannot be held, this
   * waits in its place.
   */
  void makeWait(Stream stream);

  /**
   * Whether the buffers are the caller's again: the operation ended well, or failed before it used
   * them. After other failures this stays false: a library that nobody can stop may still use them,
   * and they must be left alone until the process ends. Does not block.
   */
  boolean buffersReleased();

  /** Nanoseconds from the moment the stream reached the call to the end; 0 before the end. */
  long durationNs();

  /**
   * The rank whose message this receive has met, where {@link
   * io.tombolo.runtime.Message#receiveFromAny any} could have served it; empty until that is known,
   * and for all other calls. Does not block.
   */
  OptionalInt source();

  /**
   * Address of the 64-bit word in this process's memory that holds the operation's {@link
   * WorkState}, for native code to read with acquire order and without asking Java. It stays
   * readable as long as this object or its communicator is reachable, closed or not.
   */
  long stateAddress();

  /**
   * Nanoseconds in each stage that it has come through on this rank; empty unless its {@link
   * CallOptions} had it timed, and before the end. {@link WorkStage#WAKE} is there once {@link
   * #await} has returned.
   */
  ImmutableMap<WorkStage, Long> times();

  /**
   * When it was in which stage on this rank, in the order in which it left them; empty where {@link
   * #times} is. Of one rank after the other they make a picture of the call.
   */
  ImmutableList<WorkSpan> spans();

  /**
   * The operation's number on its communicator, from 1, as its {@link WorkState} has it; messages
   * between single ranks are numbered apart.
   */
  long sequence();

  /** What the operation takes from this rank, link by link. */
  WorkBytes bytes();
}
