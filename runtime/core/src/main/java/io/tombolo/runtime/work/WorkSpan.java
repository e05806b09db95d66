// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

/**
 * A time that an operation was in a stage, without a break. Times are those of {@link
 * System#nanoTime}, which the processes of one host have in common.
 *
 * @param stage the stage
 * @param fromNs when it began
 * @param toNs when it ended
 */
public record WorkSpan(WorkStage stage, long fromNs, long toNs) {}
