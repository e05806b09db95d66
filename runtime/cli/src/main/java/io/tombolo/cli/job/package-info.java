// SPDX-License-Identifier: Apache-2.0
/**
 * A look at a job that runs, from outside: {@link io.tombolo.cli.job.JobPlace} reads what its store
 * shows. Several commands use it.
 */
package io.tombolo.cli.job;
