/**
 * One process of a job, and the communicator that joins it to the others.
 *
 * <p>Start at {@link io.tombolo.runtime.JobEnvironment}: who this process is in its job.
 */
package io.tombolo.runtime;
