// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo ras}: how the ranks of a job are that runs (reliability, availability,
 * serviceability, as NCCL's command of that name).
 *
 * <p>Start at {@link io.tombolo.cli.ras.RasCommand}; {@link io.tombolo.cli.ras.JobHealth} says what
 * two looks at the job mean.
 */
package io.tombolo.cli.ras;
