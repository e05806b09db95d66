// SPDX-License-Identifier: Apache-2.0
/**
 * One communicator over ranks of several vendors.
 *
 * <p>Start at {@link io.tombolo.runtime.Communicator}: a process that knows from its {@link
 * io.tombolo.runtime.environment.JobEnvironment} who it is joins its job, then calls collectives on
 * device memory.
 */
package io.tombolo.runtime;
