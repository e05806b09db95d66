// SPDX-License-Identifier: Apache-2.0
/**
 * Starts the ranks of a job, on this host or others, and looks after them until the last has ended.
 *
 * <p>Start at {@link io.tombolo.runtime.launch.JobLauncher}; a rank's own side of it is {@link
 * io.tombolo.runtime.environment.JobEnvironment} and {@link io.tombolo.runtime.launch.RankGuard}.
 * How ranks get to other hosts is said by {@link io.tombolo.runtime.launch.Placement} and {@link
 * io.tombolo.runtime.launch.RankScript}.
 */
package io.tombolo.runtime.launch;
