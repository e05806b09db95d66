// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.MissedRank;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Why a peer went that this rank, or its vendor's library, misses. Who fails, or aborts, tells why,
 * closes its channels and gives up its library's communicator, and the others may see that before
 * they hear the reason. So the loss is told to all, with the process that {@linkplain EndedPeers
 * has ended} if one is seen to have, or the {@linkplain FarPeer far one} whose connection failed;
 * whoever knows more has a moment to say it. All end with what was told first. A deadline that was
 * missed is asked for {@linkplain StoppedPeers stopped processes}.
 */
final class LossInquiry {
  /**
   * A store that says nothing holds up no failure: it may be what the loss is about. There is time
   * to look for a process that {@linkplain MissedRank#DYING dies}, and for whoever watches the
   * store to look for its host.
   */
  private static final Duration LIMIT = Duration.ofSeconds(3);

  private static final long LOOK_NS = 1_000_000;

  private final Session session;
  private final long id;
  private final Members members;

  /** An inquiry about a peer in the group {@code id}, whose ranks are {@code members}. */
  LossInquiry(Session session, long id, Members members) {
    this.session = session;
    this.id = id;
    this.members = members;
  }

  /** Inquires on a thread of its own, and has {@code group} fail then. */
  void begin(RankGroup group, TomboloException seen) {
    start(
        "tombolo-inquiry",
        () ->
            group
                .failureState()
                .fail(
                    seen instanceof DeadlineExceededException missed
                        ? inTime(
                            () -> new StoppedPeers(session, group.members()).behind(missed), seen)
                        : why(seen)));
  }

  /**
   * A peer has gone, as {@code seen}, while calls are under way for which it is not needed any more
   * if it has ended them: then it has left in order. Else {@code group} fails, unless this rank has
   * left it: then the last one may have removed what tells.
   */
  void judge(RankGroup group, TomboloException seen) {
    start(
        "tombolo-inquiry",
        () -> {
          boolean hasLeft = inTime(() -> hasLeft(seen), false);
          if (!hasLeft && !session.groupFailures().isSilent(id)) {
            group.failureState().meet(seen);
          }
        });
  }

  private boolean hasLeft(TomboloException seen) {
    try {
      return LeftPeer.named(session.store(), id, seen).isPresent();
    } catch (TomboloException e) { // the store is lost, and with it the job
      return false;
    }
  }

  /** The cause as it was told, or else {@code seen}; blocks for three seconds at most. */
  TomboloException why(TomboloException seen) {
    Deadline deadline = Deadline.after(LIMIT);
    return inTime(() -> told(seen, deadline), seen);
  }

  private static <T> T inTime(Callable<T> inquiry, T otherwise) {
    FutureTask<T> found = new FutureTask<>(inquiry);
    start("tombolo-inquiry-store", found);
    try {
      return Uninterruptibles.getUninterruptibly(found, LIMIT);
    } catch (TimeoutException | ExecutionException e) {
      return otherwise;
    }
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private TomboloException told(TomboloException seen, Deadline deadline) {
    try {
      Store place = place();
      TomboloException loss =
          LeftPeer.named(session.store(), id, seen).orElseGet(() -> behind(seen, place));
      report(loss);
      return FailureWatch.failureOf(place)
          .filter(told -> !told.text().equals(JobFailure.of(members.self(), loss).text()))
          .map(session.failures()::toException)
          .orElse(loss);
    } catch (TomboloException e) { // the job has failed, or its store is lost
      awaitWord(deadline);
      JobFailures failures = session.failures();
      return failures
          .told()
          .filter(JobFailure::isFirstHand)
          .map(failures::toException)
          .orElse(seen);
    }
  }

  private TomboloException behind(TomboloException seen, Store place) {
    return new EndedPeers(session, members)
        .behind(FarPeer.named(session.store(), seen), () -> FailureWatch.hasFailure(place));
  }

  /** Whoever watches the store knows a moment later why it is lost. */
  private void awaitWord(Deadline deadline) {
    while (session.failures().told().isEmpty() && !deadline.isExpired()) {
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /** Where the cause would be found. */
  private Store place() {
    return id == 0 ? session.store() : session.store().within(GroupFailures.placeOf(id));
  }

  private void report(TomboloException loss) {
    if (id == 0) {
      FailureWatch.report(session.store(), members.self(), loss);
    } else {
      session.groupFailures().report(id, members.self(), loss);
    }
  }
}
