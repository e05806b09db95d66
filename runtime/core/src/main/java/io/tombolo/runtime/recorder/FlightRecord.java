// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import java.util.Optional;

/**
 * One operation of one rank, as its recorder has it. Times are of the rank's {@code
 * System.nanoTime}; 0 for what has not happened.
 *
 * @param sequence its number on its communicator, from 1; messages are counted by themselves
 * @param state where it stands
 * @param call what was called
 * @param sizeBytes of the rank's larger buffer; of several calls or messages, of all
 * @param step of its plan, at which it stands or stood last; of several calls, of the first that
 *     has not ended. Empty where none is known: of messages, and of what its caller carries out
 *     itself
 * @param submittedNs when the call came in
 * @param startedNs when its stream reached it
 * @param endedNs when it ended
 */
public record FlightRecord(
    long sequence,
    FlightState state,
    FlightCall call,
    long sizeBytes,
    Optional<FlightStep> step,
    long submittedNs,
    long startedNs,
    long endedNs) {

  /** It as errors name it: {@code all_reduce of 8 f32 by sum (#17, 32 bytes)}. */
  @Override
  public String toString() {
    return call + " (#" + sequence + ", " + sizeBytes + " bytes)";
  }
}
