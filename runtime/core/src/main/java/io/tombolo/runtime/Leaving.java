// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this rank leaves its groups: a part while the others go on, or all of them with the job. Who
 * leaves says so, and waits a moment for those that leave, too. Thread-safe.
 */
final class Leaving {
  private static final Logger LOG = LoggerFactory.getLogger(Leaving.class);

  /**
   * How long who leaves waits for others that have not. Those that leave, too, do so within moments
   * of each other as a rule, and then their libraries end together. Others may be busy for as long
   * as they like, or leave groups in another order: so it is long enough only for the last
   * acknowledgements, of messages that have arrived.
   */
  private static final Duration PARTING = Duration.ofSeconds(1);

  private final Session session;

  /** The ends of groups that threads are closing now, each other than the whole. */
  private final Set<CountDownLatch> endings = ConcurrentHashMap.newKeySet();

  private volatile boolean hasBegun;

  /** Whether it is said that this rank leaves the job: nobody waits for it, and it only closes. */
  private volatile boolean hasLeft;

  Leaving(Session session) {
    this.session = session;
  }

  /** Gives a group of fewer than all ranks back; the others go on. */
  void close(RankGroup group) {
    CountDownLatch ending = new CountDownLatch(1);
    endings.add(ending); // and then look: one of the two threads sees the other
    try {
      if (!hasBegun) { // else it goes with the rest
        leave(group);
      }
    } finally {
      ending.countDown();
      endings.remove(ending);
    }
  }

  /** A library, for one, may refuse to close. */
  private void leave(RankGroup group) {
    DoAll.of(
        () -> leaveInOrder(group),
        () -> stop(group),
        () -> session.libraries().closeDown(group),
        () -> session.enrolment().tidy(group::clear),
        () -> session.groupFailures().leave(group.id()));
  }

  private void leaveInOrder(RankGroup group) {
    group.farewell().leave(parting());
    session.openGroups().remove(group);
  }

  private Deadline parting() {
    Duration timeout = session.environment().timeout();
    return Deadline.after(timeout.compareTo(PARTING) < 0 ? timeout : PARTING);
  }

  /**
   * A group that the agent, stuck in somebody's call, cannot stop keeps what it holds. Who closes
   * it waits for the agent though it has been interrupted, as for the rest.
   */
  void stop(RankGroup group) {
    try {
      session.runOnAgent(group::stop);
    } catch (TomboloException e) {
      LOG.warn(
          "rank {} leaves behind what a communicator holds: {}", session.rank(), e.getMessage());
      group.failureState().fail(e);
    }
  }

  /** The job is to be left: a group that another thread closes meanwhile is closed before. */
  void begin() {
    hasBegun = true;
    endings.forEach(Uninterruptibles::awaitUninterruptibly);
  }

  /** Says in all groups that this rank leaves them; they close later. */
  void leaveAll() {
    List<RankGroup> all = session.openGroups().all();
    RankGroup everyone = session.everyone();
    all.forEach(RankGroup::shut);
    List<Farewell> parts =
        all.stream()
            .filter(group -> group != everyone)
            .map(RankGroup::farewell)
            .filter(Farewell::sayLeaving)
            .toList();
    boolean isSaid = everyone.farewell().sayLeaving();
    hasLeft = true; // once all have said so, whose process hosts the store waits for nobody
    if (isSaid && everyone.farewell().awaitOthers(parting())) {
      return;
    }
    if (isSaid) {
      everyone.farewell().leaveOthers();
    }
    parts.forEach(Farewell::leaveOthers);
  }

  /** Whether this rank has begun to leave the job, which it had come into. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Whether this rank has said that it leaves the job, or failed to: nobody waits for it. */
  boolean hasLeft() {
    return hasLeft;
  }
}
