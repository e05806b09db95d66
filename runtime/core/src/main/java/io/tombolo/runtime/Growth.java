// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.bootstrap.Applications;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Makes a communicator of the ranks of one and of new processes: its first rank takes these in, and
 * tells the others where all meet.
 */
final class Growth {
  private static final String PLACE = "growth/";

  private Growth() {}

  /**
   * As {@link Communicator#grow}, of all ranks of {@code session}, for the {@code time}-th time.
   */
  static Communicator of(Session session, int time, int newcomers, Duration limit) {
    Applications.Ticket last = last(session, PLACE + time, newcomers, limit);
    int next = session.rank() + 1;
    Optional<RankClaim> comer =
        session.rank() == last.rank()
            ? Optional.of(last.next())
            : JobRound.claim(session.store(), next);
    return Communicator.join(
        session.environment().among(session.rank(), last.size()),
        session.place().inLobby(last.place(), only(next, comer)));
  }

  /** What the last of the ranks of {@code session} would be given if it applied, too. */
  private static Applications.Ticket last(
      Session session, String key, int newcomers, Duration limit) {
    try {
      return Applications.Ticket.parse(
          OnBehalf.of(
              session.rank(), session.store(), key, () -> taken(session, newcomers, limit), limit));
    } finally {
      session.store().publish();
    }
  }

  private static String taken(Session session, int newcomers, Duration limit) {
    try (Store lobby = session.place().lobby().get()) {
      return new Applications(lobby)
          .take(
              newcomers,
              session.environment().size(),
              RankClaim.ofThisProcess(),
              session.everyone().failureState()::failure,
              Deadline.after(limit))
          .text();
    }
  }

  /** Each rank looks after the next one, and needs to know no other. */
  private static IntFunction<Optional<RankClaim>> only(int next, Optional<RankClaim> comer) {
    return rank -> comer.filter(claim -> rank == next);
  }

  /** As {@link CommunicatorBuilder#joinGrowing}, in the lobby of {@code top}. */
  static Communicator join(JobEnvironment environment, MeetingPlace top, Duration limit) {
    Applications.Ticket ticket;
    try (Store lobby = top.lobby().get()) {
      ticket = new Applications(lobby).apply(RankClaim.ofThisProcess(), Deadline.after(limit));
    }
    return Communicator.join(
        environment.among(ticket.rank(), ticket.size()),
        top.inLobby(
            ticket.place(), only((ticket.rank() + 1) % ticket.size(), Optional.of(ticket.next()))));
  }
}
