// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Where the ranks of a communicator meet.
 *
 * @param stores opens the place in a store that is theirs, and nobody else's
 * @param lobby opens that in which new processes ask to be taken in
 * @param host what keeps that store, if this process does; whoever joins there closes it
 * @param storeRank the rank, of those that meet, whose process keeps it, if one is known to
 * @param comers which process each rank will be, where that is known before it comes
 */
record MeetingPlace(
    Supplier<Store> stores,
    Supplier<Store> lobby,
    Optional<AcceptorHost> host,
    Optional<Integer> storeRank,
    IntFunction<Optional<RankClaim>> comers) {

  /** The place that {@code top} opens, of ranks that have been in no other together. */
  static MeetingPlace of(Supplier<Store> top) {
    return new MeetingPlace(top, top, Optional.empty(), Optional.empty(), rank -> Optional.empty());
  }

  /** That of the job which {@code environment} describes. */
  static MeetingPlace of(JobEnvironment environment) {
    Supplier<Store> top = environment::openStore;
    return new MeetingPlace(
        top, top, Optional.empty(), environment.storeRank(), rank -> Optional.empty());
  }

  /** A place with the same lobby, called {@code name} in it, of the same ranks and new ones. */
  MeetingPlace inLobby(String name, IntFunction<Optional<RankClaim>> comers) {
    return new MeetingPlace(
        () -> lobby.get().narrowedTo(name), lobby, host.map(AcceptorHost::keep), storeRank, comers);
  }
}
