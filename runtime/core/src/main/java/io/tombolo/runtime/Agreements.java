// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.consensus.Consensus;
import io.tombolo.runtime.consensus.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the ranks of a group agree on, one after the other; that works after it has failed, too, and
 * without the job's store.
 */
final class Agreements {
  private final Session session;
  private final Members members;
  private final long group;
  private final AtomicInteger made = new AtomicInteger();

  /** Those of {@code members}, who are the group called {@code group}. */
  Agreements(Session session, Members members, long group) {
    this.session = session;
    this.members = members;
    this.group = group;
  }

  /** As {@link Communicator#agree}: all members' next agreement. */
  Agreed next(long flags, Duration limit) {
    int number = made.getAndIncrement();
    Optional<String> previous =
        number == 0 ? Optional.empty() : Optional.of(nameOf(Integer.toString(number - 1)));
    Verdict verdict = reach(nameOf(Integer.toString(number)), previous, flags, inquire(), limit);
    Agreed agreed = new Agreed(verdict.flags(), members.placesOf(verdict.ranks()));
    verdict.placeOf(members.jobRank(members.self()), members.size(), "agree");
    return agreed;
  }

  /**
   * {@link Consensus#reach} of the agreement called {@code name}, which is the only one of that
   * name; by the members' ranks in the job.
   *
   * @param inquiry about all members
   */
  Verdict only(String name, StoreInquiry inquiry, Duration limit) {
    return reach(nameOf(name), Optional.empty(), -1, inquiry, limit);
  }

  /** Asks who all members are. */
  StoreInquiry inquire() {
    return new StoreInquiry(session.store(), members.jobRanks().asList());
  }

  private String nameOf(String agreement) {
    return GroupFailures.placeOf(group) + "/" + agreement;
  }

  private Verdict reach(
      String name, Optional<String> previous, long flags, StoreInquiry inquiry, Duration limit) {
    try (Consensus consensus =
        new Consensus(
            name,
            previous,
            session.environment().size(),
            session.rank(),
            members.jobRanks().asList(),
            session.acceptors(),
            session.environment().token(),
            flags,
            inquiry.isStoreThere(),
            inquiry::isGone)) {
      return consensus.reach(limit);
    }
  }
}
