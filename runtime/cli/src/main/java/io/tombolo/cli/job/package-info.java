// SPDX-License-Identifier: Apache-2.0
/**
 * A look at a job that runs, from outside. Several commands use it.
 *
 * <p>Start at {@link io.tombolo.cli.job.JobPlace}, which reads what the job's store shows.
 */
package io.tombolo.cli.job;
