// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A rail whose fabric may fail as a whole, which fails this rail's channels and no others. */
final class GuardedRail {
  private static final Logger log = LoggerFactory.getLogger(GuardedRail.class);

  private final Rail rail;
  private Optional<TomboloException> failure = Optional.empty();
  private boolean carriesAlone;

  GuardedRail(Rail rail) {
    this.rail = rail;
  }

  Rail rail() {
    return rail;
  }

  /** What its fabric has failed with, if it has. */
  Optional<TomboloException> failure() {
    return failure;
  }

  /** A peer is met over it alone: from now on its failure is one of all rails, as with one rail. */
  void carryAlone() {
    carriesAlone = true;
  }

  /** Moves what can be moved, also after a failure: what is closed has to come to its end. */
  int progress() {
    try {
      return rail.fabric().progress();
    } catch (TomboloException e) {
      onFailure(e);
      return 0;
    }
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}; of a rail that has failed, nothing. */
  void awaits(WakeUps wakeUps) {
    if (failure.isPresent()) {
      return;
    }
    try {
      rail.fabric().awaits(wakeUps);
    } catch (TomboloException e) {
      onFailure(e);
      wakeUps.soon(); // its channels are to hear of it
    }
  }

  private void onFailure(TomboloException cause) {
    if (failure.isEmpty()) {
      log.warn("{} is not used any more: {}", rail.nic(), cause.getMessage());
      failure = Optional.of(cause);
    }
    if (carriesAlone) {
      throw cause;
    }
  }

  void close() {
    try {
      rail.fabric().close();
    } catch (TomboloException e) {
      log.warn("{} was not closed well: {}", rail.nic(), e.getMessage());
    }
  }
}
