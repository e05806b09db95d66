// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.MissedRank;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Members of a group on this host whose processes have ended: who sees that a peer is gone can say
 * which process that was, and the last it said.
 */
final class EndedPeers {
  /** All ranks of a host look at all others of it, and ask the store each time. */
  private static final long LOOK_NS = 20_000_000;

  private final Session session;
  private final Members members;

  EndedPeers(Session session, Members members) {
    this.session = session;
    this.members = members;
  }

  /**
   * The end of a process as what is behind {@code seen}, or else {@code seen}; asks the store.
   *
   * @param isTold whether somebody has told a failure: what is found later counts for nothing
   */
  TomboloException behind(TomboloException seen, BooleanSupplier isTold) {
    Map<Integer, RankClaim> near = NearPeers.of(session, members);
    Deadline deadline = Deadline.after(MissedRank.DYING);
    while (!near.isEmpty() && !deadline.isExpired() && !isTold.getAsBoolean()) {
      Optional<PeerFailedException> ended =
          near.entrySet().stream()
              .filter(peer -> peer.getValue().isGone())
              .findFirst()
              .map(peer -> ended(peer.getKey(), peer.getValue(), seen));
      if (ended.isPresent()) {
        return ended.get();
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    return seen;
  }

  private PeerFailedException ended(int place, RankClaim claim, TomboloException seen) {
    int rank = members.jobRank(place);
    return new PeerFailedException(MissedRank.of(session.store(), rank, claim).ended(), seen);
  }
}
