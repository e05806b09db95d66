// SPDX-License-Identifier: Apache-2.0
/**
 * The flight recorder: each rank's last operations, in a memory-mapped file for each of its
 * communicators, which is there after {@code kill -9}.
 *
 * <p>Start at {@link io.tombolo.runtime.recorder.FlightRecorder} for what writes, at {@link
 * io.tombolo.runtime.recorder.FlightLog} for what reads.
 */
package io.tombolo.runtime.recorder;
