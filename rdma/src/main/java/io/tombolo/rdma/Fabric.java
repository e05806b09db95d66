// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import java.util.Optional;

/**
 * One way of moving bytes between processes.
 *
 * <p>Used by one thread, the agent, where nothing else is said; no method blocks. A fabric reaches
 * a peer if both sides' addresses say so. Both sides of a connection prove the job token to each
 * other before any byte of a user moves.
 */
public interface Fabric extends AutoCloseable {
  /** The name in logs, errors and on command lines: {@code shm}, {@code tcp}. */
  String name();

  /** What it guarantees. */
  FabricTraits traits();

  /**
   * What a peer needs to reach this process, small and opaque; published in the rank's descriptor.
   */
  byte[] address();

  /** Whether a peer that published {@code peerAddress} for this fabric can be reached from here. */
  boolean reaches(byte[] peerAddress);

  /**
   * Whether its hardware reads messages that are sent from memory like {@code block} there, without
   * a copy. For the thread that uses this fabric.
   */
  default boolean readsFrom(MemoryBlock block) {
    return false;
  }

  /** Whether it writes those that are received into such memory there. As the other. */
  default boolean writesInto(MemoryBlock block) {
    return false;
  }

  /** Why it can reach whom it reaches, for people: {@code same host}, {@code network}. */
  String reach();

  /**
   * What carries channels to {@code peer} that open from now on, if both ends have found that this
   * fabric does not. Thread-safe.
   */
  default Optional<Instead> instead(int peer) {
    return Optional.empty();
  }

  /**
   * Begins to join {@code peer}; the channel opens during later {@link #progress} calls. Both sides
   * call this with each other's address and the same {@code channelId}; which side dials is the
   * fabric's business.
   */
  Channel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline);

  /**
   * Moves what can be moved on all channels; returns how many things were done, 0 if there was
   * nothing to do.
   */
  int progress();

  /**
   * Tells {@code wakeUps} when {@link #progress}, which has just done nothing, will have something
   * to do again. Calls on this side need not be told of: whoever makes one goes on with progress.
   */
  default void awaits(WakeUps wakeUps) {
    wakeUps.soon();
  }

  /** Closes every channel and stops listening. */
  @Override
  void close();
}
