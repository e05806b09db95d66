// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.cli.console.Figures;
import io.tombolo.runtime.plan.Bounds;
import io.tombolo.runtime.plan.JobTime;

/**
 * What a job is predicted to take.
 *
 * @param predictedPs until the last rank is done, in picoseconds
 * @param boundPs what the bytes that must cross would take if all ranks' ways out and in shared
 *     them alike, in picoseconds
 * @param bottleneck what takes longest, as a sentence
 */
record Prediction(long predictedPs, long boundPs, String bottleneck) {

  static Prediction of(PlannedJob job, JobTime time) {
    long bound =
        job.context().clustering().clusters().stream()
            .mapToLong(
                cluster ->
                    Bounds.of(job.context().clustering(), job.call(), cluster)
                        .timePs(job.context(), cluster))
            .max()
            .orElse(0);
    return new Prediction(time.totalPs(), bound, sentence(time));
  }

  private static String sentence(JobTime time) {
    JobTime.Bottleneck most = time.bottleneck();
    return most.busyPs() == 0
        ? "there is nothing to do"
        : "rank %d is the bottleneck: %s take %s of the %s"
            .formatted(
                most.rank(),
                most.unit().words(),
                Figures.time(most.busyPs()),
                Figures.time(time.totalPs()));
  }
}
