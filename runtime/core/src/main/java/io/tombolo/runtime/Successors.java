// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The communicators that can follow on one of all ranks of its job: without those that died, once;
 * and with new ones, again and again. Thread-safe.
 */
final class Successors {
  private final Session session;
  private final RankGroup group;
  private final AtomicBoolean hasShrunk = new AtomicBoolean();
  private final AtomicInteger growths = new AtomicInteger();

  /** Those of {@code group}, which is all ranks of the job, or is refused. */
  Successors(Session session, RankGroup group) {
    this.session = session;
    this.group = group;
  }

  /** As {@link Communicator#shrink}. */
  Communicator shrink(Duration limit) {
    if (!isEveryone() || group.failureState().failure().isEmpty()) {
      throw new UsageException(
          "rank %s: only a communicator of all ranks of its job that has failed can be shrunk; of a part that failed, close it and split again"
              .formatted(rank()));
    }
    if (!hasShrunk.compareAndSet(false, true)) {
      throw new UsageException(
          "rank %s has called shrink on this communicator before; call it on the one that it returned"
              .formatted(rank()));
    }
    return Shrink.of(session, limit);
  }

  /** As {@link Communicator#grow}. */
  Communicator grow(int newcomers, Duration limit) {
    if (!isEveryone() || newcomers < 1) {
      throw new UsageException(
          "rank %s: a communicator of all ranks of its job can grow, by one new process or more; not %s by %s"
              .formatted(rank(), isEveryone() ? "this one" : "a part", newcomers));
    }
    return Growth.of(session, growths.getAndIncrement(), newcomers, Deadline.bounded(limit));
  }

  private boolean isEveryone() {
    return group == session.everyone();
  }

  private int rank() {
    return group.members().self();
  }
}
