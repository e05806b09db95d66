// SPDX-License-Identifier: Apache-2.0
/**
 * Who this process is in its job.
 *
 * <p>Start at {@link io.tombolo.runtime.environment.JobEnvironment}.
 */
package io.tombolo.runtime.environment;
