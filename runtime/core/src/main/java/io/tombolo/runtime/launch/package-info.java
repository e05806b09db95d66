// SPDX-License-Identifier: Apache-2.0
/**
 * Starts the ranks of a job as processes of this host and looks after them until the last has
 * ended.
 *
 * <p>Start at {@link io.tombolo.runtime.launch.JobLauncher}; a rank's own side of it is {@link
 * io.tombolo.runtime.environment.JobEnvironment} and {@link io.tombolo.runtime.launch.RankGuard}.
 */
package io.tombolo.runtime.launch;
