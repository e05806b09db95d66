// SPDX-License-Identifier: Apache-2.0
/**
 * What the launcher of a job told its processes through environment variables, as one record in
 * which every value knows where it is from.
 *
 * <p>Start at {@link io.tombolo.topology.launch.LaunchEnvironment}.
 */
package io.tombolo.topology.launch;
