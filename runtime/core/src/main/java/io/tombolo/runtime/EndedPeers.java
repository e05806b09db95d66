// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostId;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.MissedRank;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Members of a group on this host whose processes have ended: who sees that a peer is gone can say
 * which process that was, and the last it said.
 */
final class EndedPeers {
  /** A process that is killed ends its connections a moment before it is seen to have ended. */
  private static final Duration DYING = Duration.ofMillis(500);

  private static final long LOOK_NS = 5_000_000;

  private final Session session;
  private final Members members;

  EndedPeers(Session session, Members members) {
    this.session = session;
    this.members = members;
  }

  /**
   * The end of a process as what is behind {@code seen}, or else {@code seen}; asks the store.
   *
   * @param isKnown whether somebody has told why the peer went: it need not be looked for then
   */
  TomboloException behind(TomboloException seen, BooleanSupplier isKnown) {
    Map<Integer, RankClaim> near = near();
    Deadline deadline = Deadline.after(DYING);
    while (!near.isEmpty() && !deadline.isExpired() && !isKnown.getAsBoolean()) {
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

  private Map<Integer, RankClaim> near() {
    Map<Integer, RankClaim> near = new TreeMap<>();
    for (int place = 0; place < members.size(); place++) {
      int rank = members.jobRank(place);
      if (place != members.self() && isOnThisHost(rank)) {
        JobRound.claim(session.store(), rank)
            .filter(RankClaim::isNear)
            .ifPresent(claim -> near.put(rank, claim));
      }
    }
    return near;
  }

  /** Before the ranks have met, nobody knows where they are. */
  private boolean isOnThisHost(int rank) {
    return rank < session.ranks().size()
        && session.ranks().get(rank).hostId().equals(HostId.local());
  }

  private PeerFailedException ended(int rank, RankClaim claim, TomboloException seen) {
    return new PeerFailedException(MissedRank.of(session.store(), rank, claim).ended(), seen);
  }
}
