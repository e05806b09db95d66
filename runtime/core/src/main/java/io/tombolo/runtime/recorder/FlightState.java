// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import java.util.Locale;
import java.util.Optional;

/** Where a recorded operation stands; it only goes forward. */
public enum FlightState {
  /** The call is in, and its stream has not reached it. */
  SUBMITTED(1),
  /** Its stream has reached it. */
  STARTED(2),
  /** It ended well. */
  DONE(3),
  /** It failed, by itself or with its communicator. */
  FAILED(4);

  private final int code;
  private final String text = name().toLowerCase(Locale.ROOT);

  FlightState(int code) {
    this.code = code;
  }

  /** The number that stands for it in a file. */
  int code() {
    return code;
  }

  static Optional<FlightState> ofCode(int code) {
    for (FlightState state : values()) {
      if (state.code == code) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }

  /** The lower-case name, for people and JSON. */
  public String text() {
    return text;
  }
}
