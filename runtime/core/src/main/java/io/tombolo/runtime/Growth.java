// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.bootstrap.Applications;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.time.Duration;

/**
 * Makes a communicator of the ranks of one and of new processes: its first rank takes these in, and
 * tells the others where all meet.
 */
final class Growth {
  private static final String PLACE = "growth/";
  private static final String FAILED = "!";

  private Growth() {}

  /**
   * As {@link Communicator#grow}, of all ranks of {@code session}, for the {@code time}-th time.
   */
  static Communicator of(Session session, int time, int newcomers, Duration limit) {
    int size = session.environment().size();
    String key = PLACE + time;
    String place =
        session.rank() == 0
            ? taken(session, key, newcomers, limit)
            : told(session, key, limit.multipliedBy(2));
    return Communicator.join(
        session.environment().among(session.rank(), size + newcomers),
        session.place().inLobby(place));
  }

  private static String taken(Session session, String key, int newcomers, Duration limit) {
    try (Store lobby = session.place().lobby().get()) {
      String place =
          new Applications(lobby)
              .take(newcomers, session.environment().size(), Deadline.after(limit));
      session.store().set(key, place.getBytes(UTF_8));
      return place;
    } catch (RuntimeException e) {
      session.store().set(key, (FAILED + e.getMessage()).getBytes(UTF_8));
      throw e;
    } finally {
      session.store().publish();
    }
  }

  /** Rank 0 may come last, and then wait for as long as this one did. */
  private static String told(Session session, String key, Duration limit) {
    String told = new String(session.store().await(key, Deadline.after(limit)), UTF_8);
    if (told.startsWith(FAILED)) {
      throw new DeadlineExceededException("rank 0: " + told.substring(FAILED.length()));
    }
    return told;
  }

  /** As {@link CommunicatorBuilder#joinGrowing}, in the lobby of {@code top}. */
  static Communicator join(JobEnvironment environment, MeetingPlace top, Duration limit) {
    Applications.Ticket ticket;
    try (Store lobby = top.lobby().get()) {
      ticket = new Applications(lobby).apply(RankClaim.ofThisProcess(), Deadline.after(limit));
    }
    return Communicator.join(
        environment.among(ticket.rank(), ticket.size()), top.inLobby(ticket.place()));
  }
}
