// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.HostId;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The other members of a group whose processes can be looked for from here. */
final class NearPeers {
  private NearPeers() {}

  /** Which processes they are, by their places; asks the store. */
  static SortedMap<Integer, RankClaim> of(Session session, Members members) {
    SortedMap<Integer, RankClaim> near = new TreeMap<>();
    for (int place = 0; place < members.size(); place++) {
      int rank = members.jobRank(place);
      if (place != members.self() && isOnThisHost(session, rank)) {
        Optional<RankClaim> claim = JobRound.claim(session.store(), rank);
        if (claim.isPresent() && claim.get().isNear()) {
          near.put(place, claim.get());
        }
      }
    }
    return near;
  }

  /** Before the ranks have met, nobody knows where they are. */
  private static boolean isOnThisHost(Session session, int rank) {
    return rank < session.ranks().size()
        && session.ranks().get(rank).hostId().equals(HostId.local());
  }
}
