// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.runtime.bootstrap.SurvivorLog;
import io.tombolo.runtime.bootstrap.Survivors;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.time.Duration;

/** Makes a communicator of those ranks of a failed one that live, in a place inside its own. */
final class Shrink {
  private static final String PLACE = "survivors";

  private Shrink() {}

  /** As {@link Communicator#shrink}, of all ranks of {@code failed}. */
  static Communicator of(Session failed, Duration limit) {
    Survivors survivors = agreed(failed, limit);
    JobEnvironment environment =
        failed.environment().among(survivors.newRankOf(failed.rank()), survivors.ranks().size());
    return Communicator.join(environment, () -> failed.openPlace().narrowedTo(PLACE));
  }

  private static Survivors agreed(Session failed, Duration limit) {
    try (Store place = failed.openPlace()) {
      return SurvivorLog.agree(place, failed.rank(), failed.environment().size(), limit);
    }
  }
}
