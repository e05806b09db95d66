// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.Instead;
import java.io.IOException;
import java.util.Optional;

/**
 * What makes one staged fabric differ from another: its sockets, and how slots travel. Never
 * blocks.
 */
public interface Medium extends AutoCloseable {
  /** The fabric's name: {@code shm}, {@code tcp}. */
  String name();

  /** What it guarantees. */
  FabricTraits traits();

  /** Where this process listens. */
  byte[] address();

  /** Whether the process that published {@code peerAddress} can be dialled from here. */
  boolean reaches(byte[] peerAddress);

  /** As {@link io.tombolo.rdma.Fabric#reach}. */
  String reach();

  /** As {@link io.tombolo.rdma.Fabric#readsFrom}. */
  default boolean readsFrom(MemoryBlock block) {
    return false;
  }

  /** As {@link io.tombolo.rdma.Fabric#writesInto}. */
  default boolean writesInto(MemoryBlock block) {
    return false;
  }

  /** Whether channels may leave it for the connections by which their ends met. */
  default boolean mayBeLeft() {
    return false;
  }

  /** As {@link io.tombolo.rdma.Fabric#instead}. */
  default Optional<Instead> instead(int peer) {
    return Optional.empty();
  }

  /** The next connection that a peer, or a stranger, has opened to here. */
  Optional<PeerSocket> accept() throws IOException;

  /** Begins to dial a peer that this medium {@linkplain #reaches reaches}. */
  PeerSocket dial(byte[] peerAddress, Deadline deadline);

  /** Makes the slots of a channel over {@code joined}, and takes its socket. */
  SlotLink link(Joined joined);

  /** What carries the messages of a channel over {@code joined}: slots, unless said otherwise. */
  default MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    return new SlotMessages(link(joined), sends, receives);
  }

  /** Moves what all links share; returns how many things were done. */
  default int progress() {
    return 0;
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}, of new connections and what all links share. */
  default void awaits(WakeUps wakeUps) {
    wakeUps.soon();
  }

  /** Stops listening. */
  @Override
  void close();
}
