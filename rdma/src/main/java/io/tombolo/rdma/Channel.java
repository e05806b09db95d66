// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.LocalMemory;
import java.util.Optional;

/**
 * A two-way, in-order way of messages between this rank and one peer.
 *
 * <p>Used by one thread, the agent; no method blocks. The n-th send of one side meets the n-th
 * receive of the other; their tags and sizes must agree, else the channel fails with a {@link
 * io.tombolo.base.errors.CorruptException}. A send completes when its memory may be reused, a
 * receive when its memory holds the data. A zero-byte message is a message. Messages may be queued
 * before the channel is open.
 *
 * <p>When the peer closes its end or dies, what it had sent and this side has received is still
 * delivered; then the channel fails with a {@link io.tombolo.base.errors.PeerFailedException}. A
 * failed channel keeps its slots until it is closed.
 */
public interface Channel extends AutoCloseable {
  /** Told of completions from inside {@link #poll}. */
  interface Completions {
    /** The send called {@code tag} no longer needs its memory. */
    void onSent(long tag, long sizeBytes);

    /** The receive called {@code tag} is complete in its memory. */
    void onReceived(long tag, long sizeBytes);
  }

  /** The rank at the other end. */
  int peer();

  /** The fabric that carries this channel, unless its {@link #carrier} is another. */
  Fabric fabric();

  /**
   * The name of the fabric that its bytes go by: that of {@link #fabric}, unless that did not open,
   * and both ends took another. It is certain once the channel is open.
   */
  default String carrier() {
    return fabric().name();
  }

  /**
   * Whether the connection is up; throws its error ({@code PeerFailed}, {@code DeadlineExceeded},
   * …) once failed.
   */
  boolean isOpen();

  /**
   * Queues a send of {@code sizeBytes} of {@code memory} from {@code offset}; false if there is no
   * room for it now.
   */
  boolean send(long tag, LocalMemory memory, long offset, long sizeBytes);

  /**
   * Queues a receive into {@code memory} at {@code offset}; false if there is no room for it now.
   */
  boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes);

  /**
   * Reports completions since the last call; returns how many. Throws the channel's error once
   * failed and all that completed before is reported.
   */
  int poll(Completions completions);

  /** Payload bytes handed to the wire so far, counted where they are sent. */
  long sentBytes();

  /** Payload bytes taken from the wire so far. */
  long receivedBytes();

  /**
   * What the reliable protocol of this channel has done so far; none over a carrier that loses
   * nothing, or while the channel opens.
   */
  default Optional<ProtocolCounters> protocolCounters() {
    return Optional.empty();
  }

  /** Payload that a processor copied on this side so far, in bytes. */
  long copiedBytes();

  /**
   * Payload that an engine of the messages' memory copied between it and this side's slots so far,
   * in bytes: no processor touched it.
   */
  default long engineBytes() {
    return 0;
  }

  /**
   * Payload that the wire itself, or the peer, read from or wrote to the memory of this side's
   * messages so far, in bytes: it went through no copy here.
   */
  default long directBytes() {
    return 0;
  }

  /**
   * Gives the connection up; outstanding transfers end without a word. Copies of {@link
   * LocalMemory} that are under way run to their end: only then {@link Fabric#progress} frees the
   * slots they touch.
   *
   * @throws io.tombolo.base.errors.TomboloException if a device refuses to stop: the channel is
   *     closed all the same, {@link Fabric#progress} asks the device again, and until {@link
   *     #isQuiet} it may touch memory of the channel's messages
   */
  @Override
  void close();

  /** Whether nothing that has arrived waits for its place, as far as the fabric can tell. */
  default boolean isDrained() {
    return true;
  }

  /**
   * Whether it is certain that nothing, no copy and no NIC, touches memory of its messages any
   * more; asked after {@link #close}. It may become so during {@link Fabric#progress}; a fabric
   * that cannot tell never says so.
   */
  default boolean isQuiet() {
    return false;
  }
}
