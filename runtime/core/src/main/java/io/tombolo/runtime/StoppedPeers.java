// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.util.stream.Collectors;

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
        NearPeers.of(session, members).entrySet().stream()
            .filter(peer -> peer.getValue().isStopped())
            .map(peer -> stopped(peer.getKey(), peer.getValue()))
            .collect(Collectors.joining());
    return stopped.isEmpty()
        ? missed
        : new DeadlineExceededException(missed.getMessage() + stopped, missed);
  }

  private static String stopped(int rank, RankClaim claim) {
    return "; the process of rank %s (%s) is stopped by a signal (SIGSTOP, Ctrl-Z)"
        .formatted(rank, claim.where());
  }
}
