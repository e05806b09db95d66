// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.cli.job.JobPlace;
import io.tombolo.runtime.bootstrap.Pulse;
import io.tombolo.runtime.bootstrap.RunningJob;
import java.time.Duration;

/** Looks at a job again and again, as often as its ranks show that they live. */
final class JobWatch {
  /** Between two looks at ranks that say nothing by themselves. */
  private static final long USUAL_PERIOD_MS = 800;

  private final JobPlace job;
  private RunningJob before;

  /** Takes a first look at {@code job}. */
  JobWatch(JobPlace job) {
    this.job = job;
    this.before = job.read();
  }

  /** How long the next look will be in coming: longer than from one beat of a rank to its next. */
  Duration pause() {
    long periodMs =
        before.pulses().values().stream()
            .mapToLong(Pulse::periodMs)
            .filter(period -> period > 0)
            .max()
            .orElse(USUAL_PERIOD_MS);
    return Duration.ofMillis(periodMs + periodMs / 4);
  }

  /**
   * How the job is, as one more look shows.
   *
   * @throws io.tombolo.base.errors.TomboloException if the job is there no more
   */
  JobHealth next() {
    long startNs = System.nanoTime();
    sleep(pause());
    RunningJob after = job.read();
    JobHealth health = JobHealth.of(before, after, Duration.ofNanos(System.nanoTime() - startNs));
    before = after;
    return health;
  }

  private static void sleep(Duration pause) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted between two looks at the job", e);
    }
  }
}
