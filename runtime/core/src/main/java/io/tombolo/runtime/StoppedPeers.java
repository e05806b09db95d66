// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.HostId;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.JobRound;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Members of a group on this host whose processes a signal has stopped: who waits for them in vain
 * is told so by his deadline, however long silence may last until it is reported.
 */
final class StoppedPeers {
  private final Session session;
  private final Members members;

  StoppedPeers(Session session, Members members) {
    this.session = session;
    this.members = members;
  }

  /** {@code missed}, with the stopped processes if there are any; asks the store. */
  TomboloException behind(DeadlineExceededException missed) {
    String stopped =
        IntStream.range(0, members.size())
            .filter(rank -> rank != members.self())
            .filter(this::isOnThisHost)
            .mapToObj(this::stopped)
            .collect(Collectors.joining());
    return stopped.isEmpty()
        ? missed
        : new DeadlineExceededException(missed.getMessage() + stopped, missed);
  }

  private boolean isOnThisHost(int rank) {
    return session.ranks().get(members.jobRank(rank)).hostId().equals(HostId.local());
  }

  private String stopped(int rank) {
    return JobRound.claim(session.store(), members.jobRank(rank))
        .filter(claim -> claim.isNear() && claim.isStopped())
        .map(
            claim ->
                "; the process of rank %s (%s) is stopped by a signal (SIGSTOP, Ctrl-Z)"
                    .formatted(rank, claim.where()))
        .orElse("");
  }
}
