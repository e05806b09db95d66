// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo ras}: how the ranks of a job are that runs (reliability, availability,
 * serviceability, as NCCL's command of that name).
 *
 * <p>Start at {@link io.tombolo.cli.ras.RasCommand}; {@link io.tombolo.cli.ras.JobHealth} says what
 * two looks at the job mean. {@link io.tombolo.cli.ras.MetricsServer} gives it to Prometheus, if
 * somebody asks for that.
 */
package io.tombolo.cli.ras;
