// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this rank leaves a group in order: it says so, so that the others do not take it for dead,
 * waits a while for those that leave, too, and leaves its keys to those that stay, with the first
 * failure that it had met elsewhere. After a failure of the group nobody is told, and nobody waits.
 * What the group holds is closed later.
 */
final class Farewell {
  private static final Logger LOG = LoggerFactory.getLogger(Farewell.class);

  private final Session session;
  private final RankGroup group;

  Farewell(Session session, RankGroup group) {
    this.session = session;
    this.group = group;
  }

  /**
   * Leaves in order: once all have left, or {@code patience} is over, what this rank has sent has
   * arrived, or waits for its reader. Who leaves before the others leaves them its keys. After a
   * failure nobody waits.
   */
  void leave(Deadline patience) {
    if (sayLeaving() && !awaitOthers(patience)) {
      leaveOthers();
    }
  }

  /** Whether all have said by the end of {@code patience} that they leave, and nothing failed. */
  boolean awaitOthers(Deadline patience) {
    try {
      return !group.failureState().hasFailed() && group.keys().awaitAllLeaving(patience);
    } catch (TomboloException e) {
      LOG.debug("rank {} waits for nobody to leave: {}", group.members().self(), e.getMessage());
      return false;
    }
  }

  /**
   * Says that this rank leaves in order; false if it cannot, as something has failed, or is under
   * way and fails now: if that ended by itself a moment later, nobody would hear of this rank's
   * end.
   */
  boolean sayLeaving() {
    group.executor().awaitVotes();
    if (group.isBusy()) {
      group
          .failureState()
          .settle(
              new AbortedException("the communicator was closed with calls or messages under way"));
    }
    group.failureState().awaitTold();
    return isInOrder(group.keys()::sayLeaving);
  }

  /** This rank, which has said that it leaves, does so before others. */
  void leaveOthers() {
    if (isInOrder(this::bequeath)) {
      LOG.debug("rank {} leaves before others", group.members().self());
    }
  }

  private void bequeath() {
    GroupKeys keys = group.keys();
    session.groupFailures().first().map(Throwable::getMessage).ifPresent(keys::sayWhatWasMet);
    keys.bequeath();
  }

  /** Does {@code step} of leaving, unless the group has failed; whether it was done. */
  private boolean isInOrder(Runnable step) {
    if (group.failureState().hasFailed()) {
      return false;
    }
    try {
      step.run();
      return true;
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves without a word: {}", group.members().self(), e.getMessage());
      return false;
    }
  }
}
