// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import java.util.Optional;

/** A peer that has gone because it has closed the communicator, in order and before this rank. */
final class LeftPeer {
  private LeftPeer() {}

  /**
   * What {@code seen} of the group {@code id} is about if it is such a peer, in words for who still
   * needs it; asks {@code store}, the job's.
   */
  static Optional<TomboloException> named(Store store, long id, TomboloException seen) {
    if (!(seen instanceof PeerFailedException lost) || lost.peer().isEmpty()) {
      return Optional.empty();
    }
    int rank = lost.peer().getAsInt();
    return GroupKeys.hasLeftOthers(store, id, rank)
        ? Optional.of(
            PeerFailedException.ofOneThatLeft(
                "rank %s has closed this communicator, and takes part in nothing more%s; %s"
                    .formatted(
                        rank,
                        GroupKeys.metBy(store, id, rank)
                            .map(met -> ", after it had met: " + met)
                            .orElse(""),
                        lost.getMessage()),
                rank,
                lost))
        : Optional.empty();
  }
}
