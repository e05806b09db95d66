// SPDX-License-Identifier: Apache-2.0
/**
 * One communicator over ranks of several vendors.
 *
 * <p>Start at {@link io.tombolo.runtime.Communicator}: a process that knows from its {@link
 * io.tombolo.runtime.environment.JobEnvironment} who it is joins its job, then calls collectives on
 * device memory.
 *
 * <p>Inside, a communicator is a {@code RankGroup}, and {@code Session} is what all groups of a
 * process share while it is in its job: its {@code Enrolment} in the store, its equipment, and the
 * {@code DeviceTools}. {@code JobFailures} and {@code GroupFailures} say what a failure ends, and
 * {@code Leaving} how groups end in order. A call passes {@code UseCheck} and {@code Dispatch} on
 * its way to the group.
 */
package io.tombolo.runtime;
