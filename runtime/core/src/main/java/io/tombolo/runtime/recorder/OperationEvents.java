// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import jdk.jfr.FlightRecorder;

/**
 * Whether JDK Flight Recorder has {@link OperationEvent}s. It is asked itself first: to make a
 * class of events known to it takes a process 100 ms, in its first call, and is in vain where
 * nobody has started it.
 */
public final class OperationEvents {
  private OperationEvents() {}

  /** Whether anybody records them. */
  public static boolean areRecorded() {
    return FlightRecorder.isInitialized() && OperationEvent.isRecorded();
  }
}
