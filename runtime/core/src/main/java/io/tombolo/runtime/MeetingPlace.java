// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.net.HostAndPort;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.Store;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Where the ranks of a communicator meet.
 *
 * @param stores opens the place in a store that is theirs, and nobody else's
 * @param lobby opens that in which new processes ask to be taken in
 * @param before opens the place of the generation before theirs, if there was one
 * @param address where the lobby's store listens; none if the program around has handed it in
 * @param host what keeps that store, if this process does; whoever joins there closes it
 * @param storeRank the rank, of those that meet, whose process keeps it, if one is known to
 * @param comers which process each rank will be, where that is known before it comes
 */
record MeetingPlace(
    Supplier<Store> stores,
    Supplier<Store> lobby,
    Optional<Supplier<Store>> before,
    Optional<HostAndPort> address,
    Optional<AcceptorHost> host,
    Optional<Integer> storeRank,
    IntFunction<Optional<RankClaim>> comers) {

  /**
   * {@code place} in a store that the program around has handed in, which {@code opening} opens; of
   * ranks that have been in no other together.
   */
  static MeetingPlace of(StorePlace place, Function<StorePlace, Store> opening) {
    return first(place, opening, Optional.empty(), Optional.empty());
  }

  /** That of the job which {@code environment} describes. */
  static MeetingPlace of(JobEnvironment environment) {
    return first(
        StorePlace.of(environment),
        environment::openStore,
        Optional.of(environment.storeAddress()),
        environment.storeRank());
  }

  private static MeetingPlace first(
      StorePlace place,
      Function<StorePlace, Store> opening,
      Optional<HostAndPort> address,
      Optional<Integer> storeRank) {
    Supplier<Store> top = () -> opening.apply(place);
    return new MeetingPlace(
        top,
        top,
        place.before().map(before -> () -> opening.apply(before)),
        address,
        Optional.empty(),
        storeRank,
        rank -> Optional.empty());
  }

  /**
   * Whether the store of those that meet ends with the process of {@code rank}, this one: they take
   * its end for a failure.
   */
  boolean isHostedBy(int rank) {
    return host.isPresent() || storeRank.equals(Optional.of(rank));
  }

  /** A place with the same lobby, called {@code name} in it, of the same ranks and new ones. */
  MeetingPlace inLobby(String name, IntFunction<Optional<RankClaim>> comers) {
    return new MeetingPlace(
        () -> lobby.get().narrowedTo(name),
        lobby,
        Optional.empty(),
        address,
        host.map(AcceptorHost::keep),
        storeRank,
        comers);
  }
}
