// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures that belong to one group of fewer than all ranks: they end it on all its ranks, what was
 * split off it, and nothing else. The group of all ranks fails with the job: see {@link
 * JobFailures}.
 *
 * <p>Who sees a peer go does not know whether its process has ended or only the group's work there.
 * If nobody gives a cause within a second, it has ended, and with it the job. That a peer has left
 * the group in order is such a cause.
 */
final class GroupFailures {
  private static final Logger LOG = LoggerFactory.getLogger(GroupFailures.class);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Session session;
  private final Map<Long, Entered> places = new ConcurrentHashMap<>();
  private final Map<Long, TomboloException> failed = new ConcurrentHashMap<>();
  private final AtomicReference<TomboloException> first = new AtomicReference<>();

  /** A place that this rank is in. */
  private static final class Entered {
    private final Store place;
    private boolean isSilent;

    Entered(Store place) {
      this.place = place;
    }
  }

  GroupFailures(Session session) {
    this.session = session;
  }

  /** The name of the place in the store of the group {@code id}. */
  static String placeOf(long id) {
    return "group-" + id;
  }

  /** The place itself, with waits that end when the group fails. */
  Store enter(long id) {
    Store place = session.store().borrowed().narrowedTo(placeOf(id));
    places.put(id, new Entered(place));
    whyOver(id).ifPresent(cause -> place.endWaits(cause.getMessage()));
    // Told before this rank came, and then passed over by onTold.
    FailureWatch.failureOf(place).ifPresent(failure -> onTold(placeOf(id), failure));
    return place;
  }

  /** Why the group {@code id}, or the job, has failed, as others told. */
  Optional<TomboloException> whyOver(long id) {
    return of(id).or(session.failures()::whyOver);
  }

  /** Why the group {@code id} has failed, as others told. */
  Optional<TomboloException> of(long id) {
    return Optional.ofNullable(failed.get(id));
  }

  /** The words in which others told why the job, or the group {@code id}, has failed. */
  Optional<String> toldOf(long id) {
    return session
        .failures()
        .told()
        .map(JobFailure::text)
        .or(() -> of(id).map(TomboloException::getMessage));
  }

  /** Why the first group failed that failed here, if one did: perhaps it is why a rank leaves. */
  Optional<TomboloException> first() {
    return Optional.ofNullable(first.get());
  }

  /** Opens a group; if that fails, the group fails everywhere. */
  RankGroup opened(Members members, long id, Deadline deadline, Runnable onMeeting) {
    RankGroup group = new RankGroup(session, members, id);
    try {
      group.meet(deadline, onMeeting);
      return group;
    } catch (RuntimeException e) {
      Optional<TomboloException> why = whyOver(id).filter(told -> isSecondHand(e));
      TomboloException cause = why.orElseGet(() -> reported(id, members, e));
      failed.putIfAbsent(id, cause); // so giving up does not tell the others once more
      first.compareAndSet(null, cause);
      group.giveUp(cause);
      leave(id);
      throw cause;
    }
  }

  private TomboloException reported(long id, Members members, RuntimeException e) {
    if (isSecondHand(e)) {
      return new LossInquiry(session, id, members).why(known(e));
    }
    report(id, members.self(), e);
    return known(e);
  }

  private static boolean isSecondHand(RuntimeException e) {
    return e instanceof TomboloException known && known.isSecondHand();
  }

  /** {@code e}, or an error of ours that it is the cause of. */
  static TomboloException known(RuntimeException e) {
    return e instanceof TomboloException tombolo
        ? tombolo
        : new AbortedException("a group could not be made: " + e, e);
  }

  /** {@code group} has failed here because of {@code cause}: tells its other ranks. */
  void tell(RankGroup group, TomboloException cause) {
    first.compareAndSet(null, cause);
    if (isSilent(group.id()) || whyOver(group.id()).isPresent()) {
      return; // the others know
    }
    Optional<RankGroup> parent = group.failedParent();
    if (parent.isPresent()) {
      tellWhoLeft(parent.get(), group.id(), JobFailure.of(group.members().self(), cause));
      return; // the others hear of the parent's failure
    }
    report(group.id(), group.members().self(), cause);
    if (cause instanceof PeerFailedException && cause.isSecondHand()) {
      Thread judge = new Thread(() -> judge(group, cause), "tombolo-judge");
      judge.setDaemon(true);
      judge.start();
    }
  }

  /**
   * The group {@code id} fails with {@code parent}, of whose failure those hear nothing who have
   * left that in order: they would take the others' end for a death.
   */
  private void tellWhoLeft(RankGroup parent, long id, JobFailure failure) {
    if (parent.id() != 0 && hasLeaver(parent.id())) { // of the whole nobody has left but all of it
      report(id, failure.firstHand());
    }
  }

  private boolean hasLeaver(long id) {
    try {
      return GroupKeys.hasLeaver(session.store(), id);
    } catch (TomboloException e) { // nor could anybody be told
      LOG.debug("rank {} could not look who has left: {}", session.rank(), e.getMessage());
      return false;
    }
  }

  /**
   * Tells the others of the group {@code id} of {@code cause}, unless this rank is silent there.
   */
  void report(long id, int rank, RuntimeException cause) {
    report(id, JobFailure.of(rank, cause));
  }

  private void report(long id, JobFailure failure) {
    Entered entered = places.get(id);
    if (entered == null) {
      return;
    }
    try {
      synchronized (entered) {
        if (!entered.isSilent) {
          FailureWatch.reportOf(placeOf(id), session.store(), failure);
        }
      }
    } catch (TomboloException e) {
      LOG.debug("rank {} could not report that a group failed: {}", session.rank(), e.getMessage());
    }
  }

  private void judge(RankGroup group, TomboloException cause) {
    try {
      Thread.sleep(PATIENCE.toMillis());
      boolean isKnown =
          FailureWatch.hasCause(session.store().within(placeOf(group.id())))
              || LeftPeer.named(session.store(), group.id(), cause).isPresent();
      // After this rank has left, the last one may have removed what is known.
      if (!isKnown && !isSilent(group.id())) {
        session.failures().tellOthers(cause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TomboloException e) {
      LOG.debug("rank {} could not look for a cause: {}", session.rank(), e.getMessage());
    }
  }

  /**
   * This rank reports nothing of the group {@code id} any more, nor is it about to: when all ranks
   * have come so far, what was reported can be removed, and nothing comes after.
   */
  void silence(long id) {
    Entered entered = places.get(id);
    if (entered != null) {
      synchronized (entered) {
        entered.isSilent = true;
      }
    }
  }

  /** Whether this rank reports nothing of the group {@code id}: it has left it, or is about to. */
  boolean isSilent(long id) {
    Entered entered = places.get(id);
    if (entered == null) {
      return true;
    }
    synchronized (entered) {
      return entered.isSilent;
    }
  }

  /** The failure of a group in {@code place} was told, of one perhaps that this rank is not in. */
  void onTold(String place, JobFailure failure) {
    for (long id : places.keySet()) {
      if (placeOf(id).equals(place)) {
        fail(id, failure);
      }
    }
  }

  private void fail(long id, JobFailure failure) {
    Entered entered = places.get(id);
    if (entered == null) {
      return; // left meanwhile
    }
    TomboloException cause = session.failures().toException(failure);
    hear(
        () -> session.groups().stream().filter(group -> group.id() == id).toList(),
        failure,
        () -> {
          failed.putIfAbsent(id, cause);
          entered.place.endWaits(cause.getMessage());
        });
  }

  /**
   * Has {@code groups} fail because of {@code failure}, and ends by {@code endWaits} what callers
   * wait for at the store: when these hear of it, the device knows, so that they free nothing that
   * a library still writes to. That waits for no listener, which may take seconds.
   *
   * @param groups is asked again for those that were made meanwhile, before they could hear of it
   */
  static void hear(Supplier<List<RankGroup>> groups, JobFailure failure, Runnable endWaits) {
    List<Runnable> listeners = new ArrayList<>();
    groups.get().forEach(group -> listeners.add(group.hear(failure)));
    endWaits.run();
    groups.get().forEach(group -> listeners.add(group.hear(failure)));
    listeners.forEach(Runnable::run);
  }

  /** The job has failed. */
  void endWaits(String why) {
    places.values().forEach(entered -> entered.place.endWaits(why));
  }

  /** This rank has left the group {@code id}. */
  void leave(long id) {
    places.remove(id);
    failed.remove(id);
  }
}
