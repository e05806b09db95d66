// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.primitives.Ints;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One of several processes that write a version of a state dict together. All name the same round,
 * and the same number of writers.
 *
 * @param round what they call the version, for example {@code step 8}: another name for each
 *     version, and another one for each new try
 * @param writers how many they are; at least 1
 * @param writer which of them this is, from 0 on
 * @param patience how long it waits for the others to come, and once more for them to finish
 */
public record JointWriter(String round, int writers, int writer, Duration patience) {
  /** Checks the numbers. */
  public JointWriter {
    if (round.isEmpty() || writer < 0 || writer >= writers) {
      throw new UsageException(
          "writer %s of %s of round '%s': writers are numbered from 0 on, and a round has a name"
              .formatted(writer, writers, round));
    }
  }

  /** The patience in whole milliseconds, 24 days at most. */
  int patienceMs() {
    return Ints.saturatedCast(TimeUnit.MILLISECONDS.convert(patience));
  }
}
