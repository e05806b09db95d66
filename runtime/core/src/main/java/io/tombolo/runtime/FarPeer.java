// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.MissedRank;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.store.Store;
import java.util.Optional;

/**
 * A peer on another host whose connection failed. Nobody here can look for its process, but the
 * store knows which one it is, and the last it said.
 */
final class FarPeer {
  private FarPeer() {}

  /** {@code seen} with the far peer that it is about, if it is about one; asks {@code store}. */
  static TomboloException named(Store store, TomboloException seen) {
    if (!(seen instanceof PeerFailedException lost) || lost.peer().isEmpty()) {
      return seen;
    }
    int rank = lost.peer().getAsInt();
    Optional<RankClaim> far = JobRound.claim(store, rank).filter(claim -> !claim.isNear());
    return far.map(claim -> named(MissedRank.of(store, rank, claim), lost)).orElse(lost);
  }

  private static PeerFailedException named(MissedRank missed, PeerFailedException lost) {
    return new PeerFailedException(
        missed.unreached() + "; " + lost.getMessage(), lost.peer().getAsInt(), lost);
  }
}
