// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobFailure;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures that belong to the whole job: the first one anywhere ends it on all ranks. This rank
 * tells the others of its own, and ends what is under way here when it is told of theirs, or loses
 * the store through which it would be. Those of smaller groups are {@link GroupFailures}.
 * Thread-safe.
 */
final class JobFailures {
  private static final Logger LOG = LoggerFactory.getLogger(JobFailures.class);

  private final Session session;
  private volatile Optional<JobFailure> told = Optional.empty();

  JobFailures(Session session) {
    this.session = session;
  }

  /** The job has failed elsewhere: ends what is under way here, waits at the store included. */
  void stop(JobFailure failure) {
    String why = toException(failure).getMessage();
    GroupFailures.hear(
        session::groups,
        failure,
        () -> {
          told = Optional.of(failure);
          session.store().endWaits(why);
          session.groupFailures().endWaits(why);
        });
  }

  /**
   * This rank has lost the store: perhaps it alone, and then the others do not know. Once it has
   * said that it leaves it misses none, and whose process hosts it may have left, too.
   */
  void lost(JobFailure failure) {
    if (told.isEmpty() && !session.leaving().hasLeft()) {
      StoreBypass.tell(session, failure.toldBy(session.rank()));
      stop(failure);
    }
  }

  /** What this rank fails with because of {@code failure}. */
  TomboloException toException(JobFailure failure) {
    return failure.toException("rank " + session.rank() + " stops: ");
  }

  /**
   * Why this rank, which has met {@code met}, cannot join. A wait that was ended because the job
   * has failed says less than what the others told.
   */
  RuntimeException whyJoinFailed(RuntimeException met) {
    return met instanceof TomboloException gone && gone.isSecondHand()
        ? whyOver().orElseGet(() -> inquire(gone))
        : met;
  }

  private TomboloException inquire(TomboloException gone) {
    Members all = Members.all(session.environment().size(), session.rank());
    return new LossInquiry(session, 0, all).why(gone);
  }

  /**
   * The first failure anywhere is everyone's: whoever waits learns the cause rather than a
   * deadline.
   */
  void tellOthers(RuntimeException cause) {
    if (told.isPresent()) {
      return;
    }
    try {
      FailureWatch.report(session.store(), session.rank(), cause);
    } catch (TomboloException e) {
      LOG.debug("rank {} could not report its failure: {}", session.rank(), e.getMessage());
    }
  }

  /** What the others told of the job's failure. */
  Optional<JobFailure> told() {
    return told;
  }

  /** Why the job has failed, as others told. */
  Optional<TomboloException> whyOver() {
    return told.map(this::toException);
  }

  /** Whether the job has failed, as far as this rank knows. */
  boolean hasJobFailed() {
    return session.everyone().failureState().hasFailed() || told.isPresent();
  }
}
