// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.Heartbeat;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.Leftovers;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.StoreHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.LiveFiles;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This rank in the store where its job meets: it claims its number in the current round, shows that
 * it lives, and hears of failures. When it leaves it removes its keys: nothing stays of a job that
 * has ended in order.
 */
final class Enrolment {
  private static final Logger LOG = LoggerFactory.getLogger(Enrolment.class);

  private final Session session;
  private final Store job;
  private final Store watched;
  private final JobRound round;
  private final OwnKeys store;
  private String host = "";
  private Heartbeat heartbeat;

  private Enrolment(Session session, Store job, Store watched, JobRound round) {
    this.session = session;
    this.job = job;
    this.watched = watched;
    this.round = round;
    this.store = new OwnKeys(round.in(job), Leftovers.listOf(session.rank()));
    store.own(JobRound.claimOf(session.rank()));
  }

  /**
   * Connects to the store, and claims the number of this rank; blocks until a round that has failed
   * is over. What it opens is on {@code stack}, the store's host included if this process is it.
   */
  static Enrolment claim(Session session, CloseStack stack) {
    MeetingPlace place = session.place();
    place.host().ifPresent(stack::opened);
    Store job = stack.opened(place.stores().get());
    // Before this rank counts as there: to connect to a store that has become silent takes long.
    Store watched = stack.opened(place.stores().get());
    JobRound round = JobRound.enter(job, session.rank(), session.environment().deadline());
    return new Enrolment(session, job, watched, round);
  }

  /** From now on this rank hears of failures, and the others see that it lives. */
  void begin(CloseStack stack) {
    JobEnvironment environment = session.environment();
    JobFailures failures = session.failures();
    StoreHost storeHost = new StoreHost(session.place().storeRank(), environment.liveness());
    stack.opened(
        FailureWatch.start(
            round.in(watched),
            storeHost,
            failures::stop,
            session.groupFailures()::onTold,
            failures::lost));
    host = Detection.hostName(LiveFiles.ofThisHost());
    heartbeat =
        stack.opened(
            new Heartbeat(
                store,
                session.rank(),
                environment.size(),
                environment.liveness(),
                host,
                session.openGroups()::operations));
    heartbeat.expect(session.place().comers());
    heartbeat.start(
        e -> failures.lost(JobFailure.of(storeHost.whyLost(String.valueOf(e.getMessage())))));
    stack.opened(this::leave);
    if (session.rank() == 0) {
      Presence.announce(store, environment.size());
    }
  }

  /** All have come to have all descriptors: one of whom nothing is seen from now on has left. */
  void allHaveCome() {
    heartbeat.allHaveCome();
  }

  /**
   * What opens the place of the generation before this one, if that is over. To be asked before the
   * ranks come together, for after that rank 0 removes what tells.
   */
  Optional<Supplier<Store>> endedGeneration() {
    return session.place().before().filter(before -> Leftovers.isOver(before, session.rank()));
  }

  /**
   * The ranks have come together, as {@code all}: says how this one reaches others, and removes
   * what earlier processes left, in the generation {@code ended}, too.
   */
  void complete(RankGroup all, Optional<Supplier<Store>> ended) {
    Presence.publish(store, session.rank(), host, all.routes(), all.hostOrder());
    Leftovers.remove(job, round, session.rank());
    store.publish();
    ended.ifPresent(before -> Leftovers.removeGeneration(before, session.rank()));
  }

  /** The round of the job that this rank is in. */
  JobRound round() {
    return round;
  }

  /** Where the ranks meet, in this round of the job. */
  OwnKeys store() {
    return store;
  }

  /** What people call this host. */
  String host() {
    return host;
  }

  /** The others may still need the store, if this process hosts it. */
  private void leave() {
    if (!session.leaving().hasBegun()) {
      return; // this rank has not come in
    }
    if (session.place().isHostedBy(session.rank())) {
      boolean unused = session.everyone().farewell().awaitOthers(session.environment().deadline());
    }
    tidy(this::clear);
  }

  /** Who comes next must see that this rank was in a round that has failed; else nothing stays. */
  private void clear() {
    boolean failed = session.failures().hasJobFailed();
    if (!failed) {
      JobRound.end(round.in(job));
    }
    session.openGroups().all().forEach(RankGroup::clear);
    heartbeat.close(); // that may have taken a while, and others may stay
    String claim = JobRound.claimOf(session.rank());
    store.deleteIf(key -> !(failed && key.equals(claim)));
  }

  /** Removes keys from the store, which may be lost. */
  void tidy(Runnable removal) {
    try {
      removal.run();
      store.publish();
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves keys behind: {}", session.rank(), e.getMessage());
    }
  }
}
