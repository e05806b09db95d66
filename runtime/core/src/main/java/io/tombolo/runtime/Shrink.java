// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.consensus.Verdict;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Makes a communicator of those ranks of a failed one that live: in a place inside its own, or, if
 * the job's store is gone, in one that a survivor hosts.
 */
final class Shrink {
  private static final String PLACE = "survivors";

  private Shrink() {}

  /** As {@link Communicator#shrink}, of all ranks of {@code failed}. */
  static Communicator of(Session failed, Duration limit) {
    StoreInquiry inquiry = failed.everyone().agreements().inquire();
    Verdict verdict = agree(failed, inquiry, limit);
    int size = failed.environment().size();
    int newRank = verdict.placeOf(failed.rank(), size, "go on");
    return Communicator.join(
        failed.environment().among(newRank, verdict.ranks().size()),
        place(failed, verdict, rank -> inquiry.claim(verdict.ranks().get(rank))));
  }

  /** Agrees who goes on; {@code inquiry} is about all ranks of {@code failed}. */
  static Verdict agree(Session failed, StoreInquiry inquiry, Duration limit) {
    return failed.everyone().agreements().only(PLACE, inquiry, limit);
  }

  private static MeetingPlace place(
      Session failed, Verdict verdict, IntFunction<Optional<RankClaim>> comers) {
    int home = verdict.home();
    if (home == Verdict.STORE) {
      return new MeetingPlace(
          () -> failed.openPlace().narrowedTo(PLACE),
          failed.place().lobby(),
          Optional.empty(),
          failed.place().address(),
          failed.place().host().map(AcceptorHost::keep),
          failed.place().storeRank().flatMap(rank -> newRank(verdict, rank)),
          comers);
    }
    byte[] address = failed.ranks().get(home).fabricAddresses().get(AcceptorHost.ADDRESS);
    if (address == null) {
      throw new UnavailableException(
          "rank %s: rank %s is to host the store of those that go on, and has not told where it listens"
              .formatted(failed.rank(), home));
    }
    JobEnvironment environment = failed.environment();
    Supplier<Store> lobby =
        () ->
            StorePlace.of(environment)
                .in(AcceptorHost.connect(address, environment.token(), environment.deadline()));
    return new MeetingPlace(
        () -> lobby.get().narrowedTo(PLACE),
        lobby,
        Optional.empty(),
        Optional.of(AcceptorHost.place(address)),
        home == failed.rank() ? failed.acceptor().map(AcceptorHost::keep) : Optional.empty(),
        newRank(verdict, home),
        comers);
  }

  private static Optional<Integer> newRank(Verdict verdict, int rank) {
    return Optional.of(verdict.ranks().indexOf(rank)).filter(place -> place >= 0);
  }
}
